import type { Metadata } from "next";
import { ChevronRight } from "lucide-react";
import { describeEvent } from "@/components/runs/describe-event";
import { LocalTime } from "@/components/runs/local-time";
import { ValueView } from "@/components/runs/value-view";
import { EmptyState } from "@/components/ui/empty-state";
import { Pager } from "@/components/ui/pager";
import { engineDeps } from "@/lib/database/deps";
import { type EventSubject, listEventSubjects } from "@/lib/audit/queries/list-event-subjects";
import { listRunEvents, type RunEvent } from "@/lib/runs/queries/list-run-events";
import { shown } from "@/lib/text/shown";
import { addressWith, oneText } from "../../../search-params";
import { loadRun } from "../load-run";

export const metadata: Metadata = { title: "Events" };

const PAGE = 100;

export default async function RunEventsPage({ params, searchParams }: PageProps<"/history/[runId]/events">) {
  const { run } = await loadRun((await params).runId);
  const given = Number(oneText((await searchParams).after) ?? 0);
  const after = Number.isSafeInteger(given) && given > 0 && given < 2 ** 31 ? given : 0;
  const page = await listRunEvents(engineDeps().db, run.id, { after, limit: PAGE });
  const subjectOf = await listEventSubjects(engineDeps().db, page.items);
  const base = `/history/${run.id}/events`;
  return (
    <>
      {page.items.length > 0 ? (
        <ol aria-label="Events, oldest first">
          {page.items.map((event) => (
            <EventRow key={event.id} event={{ ...event, data: shown(event.data) }} call={subjectOf(event.data)} />
          ))}
        </ol>
      ) : (
        <EmptyState title="No later event">
          <p>The run has {run.counts.events} events on record so far.</p>
        </EmptyState>
      )}
      <Pager
        label="Pages of events"
        firstHref={after > 0 ? base : undefined}
        nextHref={page.nextCursor ? addressWith(base, { after: page.nextCursor }) : undefined}
      />
    </>
  );
}

function EventRow({ event, call }: { event: RunEvent; call: EventSubject | null }) {
  return (
    <li className="border-b border-line">
      <details className="group">
        <summary className="grid grid-cols-[20px_minmax(0,1fr)_auto] items-baseline gap-x-3 px-4 py-1.5 hover:bg-sunken/60 focus-visible:-outline-offset-2 tablet:grid-cols-[20px_52px_minmax(0,1fr)_minmax(0,1fr)_auto] tablet:px-6">
          <ChevronRight
            aria-hidden
            className="size-4 translate-y-0.75 text-ink-3 transition-transform group-open:rotate-90"
          />
          <span className="text-sm text-ink-3 tabular-nums max-tablet:hidden">{event.seq}</span>
          <span className="min-w-0">
            <code className="wrap-anywhere">{event.type}</code>{" "}
            <span className="text-sm text-ink-2 wrap-anywhere">{describeEvent(event.data, call)}</span>
          </span>
          <span className="truncate text-sm text-ink-2 max-tablet:order-last max-tablet:col-start-2">
            {event.actor.name}
          </span>
          <span className="text-sm text-ink-3">
            <LocalTime at={event.at.toISOString()} />
          </span>
        </summary>
        <div className="px-4 pt-1 pb-3 tablet:pr-6 tablet:pl-29">
          <ValueView value={event.data} />
        </div>
      </details>
    </li>
  );
}

import Link from "next/link";
import { ChevronRight } from "lucide-react";
import { LocalTime } from "@/components/runs/local-time";
import { RelativeTime } from "@/components/ui/relative-time";
import { shown } from "@/lib/text/shown";
import type { TrailEvent } from "@/lib/audit/queries/list-events";
import { addressWith } from "../search-params";

export const TRAIL_COLUMNS =
  "grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-3 tablet:grid-cols-[20px_156px_minmax(0,1.8fr)_minmax(0,1fr)] wide:grid-cols-[20px_236px_minmax(0,1.8fr)_minmax(0,0.8fr)_minmax(0,0.9fr)]";

/** One event; opened, it shows the text that was sealed, redacted when it was written. */
export function EventRow({ event, about, now }: { event: TrailEvent; about: string; now: string }) {
  const at = event.at.toISOString();
  return (
    <li className="border-b border-line">
      <details className="group">
        <summary
          className={`${TRAIL_COLUMNS} items-baseline px-4 py-2 hover:bg-sunken/60 focus-visible:-outline-offset-2 tablet:px-6`}
        >
          <ChevronRight
            aria-hidden
            className="size-4 translate-y-0.75 text-ink-3 transition-transform group-open:rotate-90"
          />
          <span className="text-sm text-ink-2 max-tablet:order-last">
            <LocalTime at={at} withDate />
            <span className="text-ink-3 max-wide:hidden">
              {" "}
              · <RelativeTime at={at} now={now} />
            </span>
          </span>
          <span className="min-w-0 max-tablet:col-span-2 max-tablet:col-start-2 max-tablet:row-start-1">
            <code className="text-ink wrap-anywhere">{event.type}</code>
            {about ? (
              <span title={about} className="block truncate text-sm text-ink-2">
                {about}
              </span>
            ) : null}
          </span>
          <span className="min-w-0 truncate max-tablet:col-start-2 max-tablet:text-sm max-tablet:text-ink-2">
            {event.actor.name} <span className="text-sm text-ink-3">{event.actor.kind}</span>
          </span>
          <code className="flex min-w-0 text-ink-3 max-wide:hidden">
            <span className="truncate">{event.chainId}</span>
            <span className="whitespace-pre"> · {event.seq}</span>
          </code>
        </summary>
        <div className="grid gap-3 bg-panel px-4 pt-1 pb-4 tablet:pr-6 tablet:pl-13">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm">
            <Fact name="Event">{event.id}</Fact>
            <Fact name="UTC">{at.replace("T", " ").replace("Z", "")}</Fact>
            <Fact name="Chain">
              <Link
                href={addressWith("/audit", { chain: event.chainId })}
                className="underline decoration-line-strong underline-offset-3 hover:decoration-ink"
              >
                {event.chainId}
              </Link>
              , place {event.seq}
            </Fact>
            <Fact name="Actor">
              <Link
                href={addressWith("/audit", { actor: event.actor.id })}
                className="underline decoration-line-strong underline-offset-3 hover:decoration-ink"
              >
                {event.actor.id}
              </Link>
            </Fact>
            <Fact name="Hash">{event.hash}</Fact>
          </dl>
          <pre className="overflow-x-auto rounded-lg border border-line bg-sunken p-3.5 whitespace-pre-wrap wrap-anywhere">
            {JSON.stringify(shown(event.body), null, 2)}
          </pre>
        </div>
      </details>
    </li>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd>
        <code className="wrap-anywhere">{children}</code>
      </dd>
    </>
  );
}

import { redirect } from "next/navigation";
import { Download } from "lucide-react";
import { describeEvent } from "@/components/runs/describe-event";
import { KeepZone } from "@/components/shell/keep-zone";
import { buttonClass } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageBar } from "@/components/ui/page-bar";
import { Pager } from "@/components/ui/pager";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { getAuditState } from "@/lib/audit/queries/get-audit-state";
import { listEventSubjects } from "@/lib/audit/queries/list-event-subjects";
import { listEvents } from "@/lib/audit/queries/list-events";
import { shown } from "@/lib/text/shown";
import { settleTimes } from "../picked-times";
import { readerZone } from "../reader-zone";
import { addressWith, oneText } from "../search-params";
import { titleFor } from "../title-for";
import { EventRow, TRAIL_COLUMNS } from "./event-row";
import { readTrailQuery, toTrailFilter } from "./filter";
import { TrailFilters } from "./trail-filter";
import { VerificationPanel } from "./verification-panel";

export const generateMetadata = titleFor("audit:read", "Audit");

export default async function AuditPage({ searchParams }: PageProps<"/audit">) {
  await requirePermission("audit:read");
  const params = await searchParams;
  const query = readTrailQuery(params);
  const zone = await readerZone();
  const settled = settleTimes(query, zone);
  if (settled) redirect(addressWith("/audit", { ...settled }));
  const cursor = oneText(params.cursor);
  const { filter, problems } = toTrailFilter(query);
  const { db, now } = engineDeps();
  const clock = now().toISOString();
  const [state, page] = await Promise.all([getAuditState(db), listEvents(db, { ...filter, cursor })]);
  const subjectOf = await listEventSubjects(db, page.items);
  const exportHref = addressWith("/audit-log/export", {
    chain: query.chain,
    type: query.type,
    actor: query.actor,
    from: filter.from?.toISOString(),
    to: filter.to?.toISOString(),
  });
  return (
    <>
      <PageBar title="Audit">
        <a href={exportHref} download className={buttonClass({ size: "small" }, "hover:bg-sunken")}>
          <Download aria-hidden /> Export as JSONL
        </a>
      </PageBar>
      <VerificationPanel state={state} now={clock} />
      <TrailFilters query={query} zone={zone} />
      {problems.map((problem) => (
        <Notice key={problem} tone="failed" title={problem} className="mx-4 my-3 tablet:mx-6" />
      ))}
      {page.items.length > 0 ? (
        <section aria-label="Events, newest first">
          <div
            aria-hidden
            className={`${TRAIL_COLUMNS} h-9 items-center border-b border-line px-6 text-sm font-medium text-ink-3 max-tablet:hidden`}
          >
            <span />
            <span>Time</span>
            <span>Event</span>
            <span>By</span>
            <span className="max-wide:hidden">Chain and place</span>
          </div>
          <ol>
            {page.items.map((event) => (
              <EventRow
                key={event.id}
                event={event}
                about={describeEvent(shown(event.data), subjectOf(event.data))}
                now={clock}
              />
            ))}
          </ol>
        </section>
      ) : (
        <EmptyState title={cursor ? "No older event" : "No event fits"}>
          <p>
            Every decision and every change of state is written here in the moment it happens. Take a filter away to see
            more.
          </p>
        </EmptyState>
      )}
      <Pager
        label="Pages of events"
        firstHref={cursor ? addressWith("/audit", { ...query }) : undefined}
        nextHref={page.nextCursor ? addressWith("/audit", { ...query, cursor: page.nextCursor }) : undefined}
      />
      <KeepZone zone={zone} />
    </>
  );
}

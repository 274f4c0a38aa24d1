import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { Download } from "lucide-react";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { RunList } from "@/components/runs/run-list";
import { isChanging } from "@/components/runs/run-words";
import { KeepZone } from "@/components/shell/keep-zone";
import { NeedsNotice } from "@/components/shell/needs-count";
import { buttonClass } from "@/components/ui/button";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageBar } from "@/components/ui/page-bar";
import { listAgents, listWorkflows } from "@/lib/config/list-definitions";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { isId } from "@/lib/ids";
import { findSession } from "@/lib/proxy/queries/list-sessions";
import { listHistory } from "@/lib/runs/queries/list-history";
import { listSavedViews } from "@/lib/people/queries/list-saved-views";
import type { RunFilter } from "@/lib/runs/queries/run-filter";
import { findCurrentProject } from "../workflows/current-project";
import { loadNeeds } from "../needs-of";
import { settleTimes } from "../picked-times";
import { readerZone } from "../reader-zone";
import { addressWith, oneText } from "../search-params";
import { ALL_RUNS } from "./all-runs";
import { formatHistoryQuery, type HistoryQuery, isFiltered, readHistoryQuery, toHistoryFilter } from "./filter";
import { HistoryFilters } from "./history-filter";
import { toListedPage } from "./listed-page";
import { ViewLinks } from "./view-links";

export const metadata: Metadata = { title: "History" };

/** While something on the page changes, and while it only waits for new rows. */
const REFRESH_BUSY_MS = 3_000;
const REFRESH_STILL_MS = 15_000;

export default async function HistoryPage({ searchParams }: PageProps<"/history">) {
  const session = await requirePermission("runs:read");
  const params = await searchParams;
  const { db, now } = engineDeps();
  const clock = now();
  const views = await listSavedViews(db, session.user.id);
  const opensWith = views.findLast(({ isDefault }) => isDefault);
  // The address expands to plain filters, so that it can be sent to someone who has no such view.
  if (opensWith && Object.keys(params).length === 0) redirect(`/history?${opensWith.query}`);
  const query = readHistoryQuery(params);
  const zone = await readerZone();
  const settled = settleTimes(query, zone);
  if (settled) redirect(`/history?${formatHistoryQuery(settled)}`);
  const cursor = oneText(params.cursor);
  const { filter, problems } = toHistoryFilter(query, clock);
  const page = await listHistory(db, { ...filter, cursor, now: clock, isFolded: true });
  const project = findCurrentProject();
  const rowsHref = addressWith("/history/rows", { ...query });
  return (
    <>
      <PageBar title="History">
        <ExportLinks filter={filter} />
      </PageBar>
      {filter.needs ? null : <NeedsNotice needs={await loadNeeds(session)} />}
      <ViewLinks views={views} current={formatHistoryQuery(query)} />
      <HistoryFilters
        query={query}
        zone={zone}
        workflows={project ? listWorkflows(project).map(({ name }) => name) : []}
        agents={project ? listAgents(project).map(({ name }) => name) : []}
        clearHref={opensWith ? ALL_RUNS : "/history"}
      />
      {problems.map((problem) => (
        <Notice key={problem} tone="failed" title={problem} className="mx-4 my-3 tablet:mx-6" />
      ))}
      {query.session ? <OfSession sessionId={query.session} query={query} /> : null}
      {page.items.length > 0 ? (
        <RunList
          key={addressWith(rowsHref, { cursor })}
          label="Runs, newest first"
          listHref={addressWith("/history", { ...query })}
          first={toListedPage(page)}
          now={clock.toISOString()}
          rowsHref={rowsHref}
          firstHref={cursor ? addressWith("/history", { ...query }) : undefined}
          nextHref={page.nextCursor ? addressWith("/history", { ...query, cursor: page.nextCursor }) : undefined}
        />
      ) : (
        <NoRuns filtered={isFiltered(query) || cursor !== undefined} />
      )}
      <KeepZone zone={zone} />
      <Freshness busy={page.items.some(isChanging)} isFirst={!cursor} />
    </>
  );
}

/** Everything that matches the filters, not only what is on the page. */
function ExportLinks({ filter }: { filter: RunFilter }) {
  const { workflow, status, needs, agent, who, via, session, text, from, to, costMin, costMax } = filter;
  const query = {
    workflow,
    status: status?.join(","),
    needs: needs?.join(","),
    agent,
    who,
    via,
    session,
    q: text,
    from: from?.toISOString(),
    to: to?.toISOString(),
    cost_min: costMin?.toString(),
    cost_max: costMax?.toString(),
  };
  return (
    <span className="flex items-center gap-2 print:hidden">
      <Download aria-hidden className="size-4 text-ink-3 max-tablet:hidden" />
      {(["csv", "jsonl"] as const).map((format) => (
        <a
          key={format}
          href={addressWith("/runs/export", { ...query, format })}
          download
          className={buttonClass({ size: "small" }, "hover:bg-sunken")}
        >
          <span className="sr-only">Export as </span>
          {format.toUpperCase()}
        </a>
      ))}
    </span>
  );
}

/** The calls of one session, one by one, and the way back to where they are one row. */
async function OfSession({ sessionId, query }: { sessionId: string; query: HistoryQuery }) {
  const session = isId("session", sessionId) ? await findSession(engineDeps().db, sessionId) : null;
  const link = "text-ink underline decoration-line-strong underline-offset-3 hover:decoration-ink";
  return (
    <p className="flex flex-wrap gap-x-4 border-b border-line bg-sunken/50 px-4 py-2.5 text-sm text-ink-2 tablet:px-6">
      {session ? (
        <span className="wrap-anywhere">
          Calls of one session of <span className="font-medium text-ink">{session.client}</span>, for{" "}
          {session.person.name}
        </span>
      ) : (
        <span>There is no session {sessionId} on record.</span>
      )}
      {session ? (
        <Link href={`/clients/${session.id}`} className={link}>
          Read it as a transcript
        </Link>
      ) : null}
      <Link href={addressWith("/history", { ...query, session: undefined })} className={link}>
        All runs
      </Link>
    </p>
  );
}

/** Older pages refresh only while a run on them changes; the first one also gets new runs. */
function Freshness({ busy, isFirst }: { busy: boolean; isFirst: boolean }) {
  if (busy) return <KeepFresh everyMs={REFRESH_BUSY_MS} />;
  return isFirst ? <KeepFresh everyMs={REFRESH_STILL_MS} /> : null;
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState title="No run fits">
        <p>
          Take a filter away to see more. Words in “Text” must all occur in a run: its id, workflow, agents, who started
          it, or what it was started with.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No run yet"
      next={
        <>
          <div>
            <Link href="/workflows" className={buttonClass({ variant: "primary" })}>
              Start a workflow
            </Link>
          </div>
          <Command
            says="Runs can be started by programs too. They need a token:"
            text="npx kimitsu token create --name my-script --scopes runs:read,runs:write"
          />
        </>
      }
    >
      <p>
        Every run of a workflow stays here: its steps, what the agents asked for, who decided, what the tools answered,
        and what it cost.
      </p>
    </EmptyState>
  );
}

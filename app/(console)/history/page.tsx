import type { Metadata } from "next";
import Link from "next/link";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { RunTable } from "@/components/runs/run-table";
import { isActive } from "@/components/runs/run-words";
import { buttonClass } from "@/components/ui/button";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageBar } from "@/components/ui/page-bar";
import { Pager } from "@/components/ui/pager";
import { requirePermission } from "@/lib/auth/session";
import { engineDeps } from "@/lib/engine/deps";
import { listHistory } from "@/lib/store/queries/list-history";
import { findCurrentProject } from "../workflows/current-project";
import { addressWith, oneText } from "../search-params";
import { isFiltered, readHistoryQuery, toHistoryFilter } from "./filter";
import { HistoryFilters } from "./history-filter";

export const metadata: Metadata = { title: "History" };

/** While something on the page goes on, and while it only waits for what comes next. */
const REFRESH_BUSY_MS = 3_000;
const REFRESH_STILL_MS = 15_000;

export default async function HistoryPage({ searchParams }: PageProps<"/history">) {
  await requirePermission("runs:read");
  const params = await searchParams;
  const query = readHistoryQuery(params);
  const cursor = oneText(params.cursor);
  const { filter, problems } = toHistoryFilter(query);
  const { db, now } = engineDeps();
  const clock = now();
  const page = await listHistory(db, { ...filter, cursor, now: clock });
  const project = findCurrentProject();
  return (
    <>
      <PageBar title="History" />
      <HistoryFilters query={query} workflows={Object.keys(project?.workflows ?? {})} agents={Object.keys(project?.agents ?? {})} />
      {problems.map((problem) => (
        <Notice key={problem} tone="failed" title={problem} className="mx-4 my-3 tablet:mx-6" />
      ))}
      {page.items.length > 0 ? (
        <RunTable label="Runs, newest first" runs={page.items.map((run) => ({ ...run, createdAt: run.createdAt.toISOString() }))} now={clock.toISOString()} />
      ) : (
        <NoRuns filtered={isFiltered(query) || cursor !== undefined} />
      )}
      <Pager
        label="Pages of runs"
        firstHref={cursor ? addressWith("/history", { ...query }) : undefined}
        nextHref={page.nextCursor ? addressWith("/history", { ...query, cursor: page.nextCursor }) : undefined}
      />
      <Freshness busy={page.items.some((run) => isActive(run.status))} isFirst={!cursor} />
    </>
  );
}

/** Older pages stand still unless a run on them goes on; the first one also gets runs that are new. */
function Freshness({ busy, isFirst }: { busy: boolean; isFirst: boolean }) {
  if (busy) return <KeepFresh everyMs={REFRESH_BUSY_MS} />;
  return isFirst ? <KeepFresh everyMs={REFRESH_STILL_MS} /> : null;
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState title="No run fits">
        <p>Take a filter away to see more. Words in “Text” must all occur in a run: its id, workflow, agents, who started it, or what it was started with.</p>
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
          <Command says="Runs can be started by programs too. They need a token:" text="npx kimitsu token create --name my-script --scopes runs:read,runs:write" />
        </>
      }
    >
      <p>Every run of a workflow stays here: its steps, what the agents asked for, who decided, what the tools answered, and what it cost.</p>
    </EmptyState>
  );
}

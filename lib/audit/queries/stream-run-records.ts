import type { RunRecord } from "@/lib/audit/rules/check-run";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { toEntry } from "@/lib/audit/queries/journal-rows";
import type { Db } from "@/lib/database/client";

/** A run can be large, with everything that models and tools returned; small ones are read together. */
const ROWS_AT_ONCE = 300;
const IDS_AT_ONCE = 200;

interface ListedChain {
  id: string;
  rows: number;
}

/** Every run that is mentioned anywhere, each with its journal and its copies as of one moment. */
export async function* streamRunRecords(db: Db): AsyncGenerator<RunRecord> {
  let after = "";
  for (;;) {
    const chains = await listChains(db, after);
    for (const ids of groupsOf(chains)) yield* await readRecords(db, ids);
    const last = chains.at(-1);
    if (!last || chains.length < IDS_AT_ONCE) return;
    after = last.id;
  }
}

/** From the journal, the rows of runs and the projections: each of them may have been removed or made up by hand. */
function listChains(db: Db, after: string): Promise<ListedChain[]> {
  return db.$queryRaw<ListedChain[]>`SELECT id, sum(rows)::int AS rows FROM (
      (SELECT run_id AS id, count(*) AS rows FROM journal WHERE run_id > ${after} GROUP BY run_id ORDER BY run_id LIMIT ${IDS_AT_ONCE})
      UNION ALL (SELECT id, 0 FROM runs WHERE id > ${after} ORDER BY id LIMIT ${IDS_AT_ONCE})
      UNION ALL (SELECT DISTINCT chain_id, 0 FROM events WHERE chain_id > ${after} ORDER BY chain_id LIMIT ${IDS_AT_ONCE})
    ) AS known GROUP BY id ORDER BY id LIMIT ${IDS_AT_ONCE}`;
}

function* groupsOf(chains: readonly ListedChain[]): Generator<string[]> {
  let ids: string[] = [];
  let sum = 0;
  for (const { id, rows } of chains) {
    if (id === SYSTEM_CHAIN) continue;
    if (ids.length > 0 && sum + rows > ROWS_AT_ONCE) {
      yield ids;
      [ids, sum] = [[], 0];
    }
    ids.push(id);
    sum += rows;
  }
  if (ids.length > 0) yield ids;
}

async function readRecords(db: Db, ids: string[]): Promise<RunRecord[]> {
  const ofRuns = { where: { runId: { in: ids } } };
  const [journal, runs, approvals, projected, steps, turns, calls, decisions, events] = await db.$transaction(
    (tx) =>
      Promise.all([
        tx.journal.findMany({ ...ofRuns, orderBy: [{ runId: "asc" }, { seq: "asc" }] }),
        tx.run.findMany({ where: { id: { in: ids } }, omit: { secrets: true } }),
        tx.approval.findMany(ofRuns),
        tx.projectedRun.findMany(ofRuns),
        tx.step.findMany(ofRuns),
        tx.turn.findMany(ofRuns),
        tx.call.findMany(ofRuns),
        tx.decision.findMany({
          where: { approval: { runId: { in: ids } } },
          include: { approval: { select: { runId: true } } },
        }),
        tx.event.findMany({ where: { chainId: { in: ids } } }),
      ]),
    { isolationLevel: "RepeatableRead" },
  );
  const ofRun = <T extends { runId: string }>(rows: readonly T[]) => {
    const groups = Map.groupBy(rows, ({ runId }) => runId);
    return (id: string) => groups.get(id) ?? [];
  };
  const rowsOf = [ofRun(approvals), ofRun(steps), ofRun(turns), ofRun(calls)] as const;
  const decisionsOf = ofRun(decisions.map(({ approval, ...row }) => ({ ...row, runId: approval.runId })));
  const [entriesOf, eventsOf] = [ofRun(journal), ofRun(events.map((event) => ({ ...event, runId: event.chainId })))];
  return ids.map((id) => ({
    id,
    entries: entriesOf(id).map(toEntry),
    copies: {
      run: runs.find((run) => run.id === id) ?? null,
      approvals: rowsOf[0](id),
      projected: projected.find(({ runId }) => runId === id)?.seq ?? 0,
      steps: rowsOf[1](id),
      turns: rowsOf[2](id),
      calls: rowsOf[3](id),
      decisions: decisionsOf(id),
      events: eventsOf(id),
    },
  }));
}

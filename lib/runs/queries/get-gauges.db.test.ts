import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { DangerLevel } from "@/lib/policy/danger";
import { cancelRun } from "@/lib/runs/cancel-run";
import { settleCall } from "@/lib/runs/settle-call";
import { startRun } from "@/lib/runs/start-run";
import { connect, type Db } from "@/lib/database/client";
import { getGauges } from "@/lib/runs/queries/get-gauges";
import { openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { HANG_MS } from "@/lib/testing/hang";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { seedPaused } from "@/lib/testing/seed-paused";

const PAUSED = 3_000;
const COUNT_MAX = 100;

const database = useDatabase();
let one: Db;
let danger: DangerLevel;
beforeAll(async () => {
  const bench = await openApiBench(database, {
    script:
      "agents: { worker: { turns: [{ say: I act., call: [{ tool: t-none, arguments: { text: act } }] }, { output: { done: true } }] } }\n",
  });
  const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
  await bench.advance(runId);
  danger = (await bench.pendingOf(runId))[0]!.danger as DangerLevel;
  await seedPaused(database.url, runId, PAUSED - 1);
  one = connect(database.url, 1, { waitMs: HANG_MS });
});
afterAll(() => one.$disconnect());

/**
 * Rows and index entries that the work read, as counted by Postgres; on one connection, which is made to flush its
 * statistics.
 */
async function countRead(work: () => Promise<unknown>): Promise<number> {
  const total = async () => {
    await one.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
    const [row] = await one.$queryRaw<{ count: number }[]>`
      SELECT ((SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes))::int AS count`;
    return row!.count;
  };
  const before = await total();
  await work();
  return (await total()) - before;
}

test(
  verifies(
    "operations:metrics-bounded",
    "a scrape reads a bounded number of rows, however many runs and approvals wait, and reports at least that many",
  ),
  async () => {
    let gauges: Awaited<ReturnType<typeof getGauges>> | undefined;
    const read = await countRead(async () => (gauges = await getGauges(one, new Date(), COUNT_MAX)));
    expect(read).toBeLessThan(10 * COUNT_MAX);
    expect(gauges!.openRuns).toMatchObject({ pending: 0, pending_approval: COUNT_MAX });
    expect(gauges!.pendingByDanger[danger]).toBe(COUNT_MAX);
  },
);

test(verifies("operations:metrics-bounded", "fewer are counted exactly"), async () => {
  const gauges = await getGauges(one, new Date(), 2 * PAUSED);
  expect(gauges.openRuns).toEqual({ pending: 0, running: 0, pending_approval: PAUSED, needs_human_review: 0 });
  expect(gauges.pendingByDanger[danger]).toBe(PAUSED);
  expect(gauges.pendingOldestS).toBeGreaterThan(0);
});

test(
  verifies("operations:metrics", "a call with unknown outcome counts until a person settles it, or its run is over"),
  async () => {
    const bench = await openApiBench(database, {
      script:
        "agents: { worker: { turns: [{ call: [{ tool: drop-after, arguments: { text: act } }] }, { output: { done: true } }] } }\n",
      allowlist: "- drop-after",
    });
    const unknown = async () => {
      const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
      await bench.advance(runId);
      return { runId, callId: (await database.db.call.findFirstOrThrow({ where: { runId } })).id };
    };
    const counted = async () => {
      // Makes sure that everything is projected now, not a moment later.
      await database.db.call.count();
      return (await getGauges(one, bench.deps.now())).outcomeUnknown;
    };
    const [first, second] = [await unknown(), await unknown()];
    expect(await counted()).toBe(2);
    const { user } = await bench.login("operator");
    await settleCall(bench.deps, user.actor, { callId: first.callId, outcome: "failed" });
    expect(await counted()).toBe(1);
    await cancelRun(bench.deps, user.actor, { runId: second.runId });
    expect(await counted()).toBe(0);
  },
);

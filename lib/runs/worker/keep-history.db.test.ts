import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { COMMITS_LOST } from "@/lib/runs/rules/call-state";
import { LEASE_MS } from "@/lib/limits";
import { settleCall } from "@/lib/runs/settle-call";
import { getHistory } from "@/lib/database/queries/get-history";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { openRunBench, type RunBench } from "@/lib/testing/run-bench";
import { countCalls, FREE_TOOL, startTwoCalls, twoCallsProject } from "@/lib/testing/two-calls";
import { createHistoryKeeper } from "@/lib/runs/worker/keep-history";

const database = useDatabase();
afterEach(releaseAll);

async function openBench() {
  const server = await startRecordingServer({});
  database.closing.push(() => server.close());
  const bench = await openRunBench(database, twoCallsProject(server.url));
  await createHistoryKeeper(bench.deps)();
  return { bench, server };
}

/** A promotion makes the recorded history wrong; here the record is changed instead of the timeline. */
const pretendFailover = (facts: { synchronous: boolean }) =>
  database.db.setting.update({
    where: { key: "database.history" },
    data: { value: { history: "another/00000001", ...facts } },
  });

const findCall = (runId: string) => database.db.call.findFirstOrThrow({ where: { runId, tool: FREE_TOOL } });
const readRun = (id: string) => database.db.run.findUniqueOrThrow({ where: { id } });

/** The run is held before its first call is on record as sent. */
async function standBeforeSending(bench: RunBench, tag: string) {
  const { runId } = await startTwoCalls(bench.deps, tag);
  const hold = holdAt("dispatch-call:before-executing-commit");
  const advanced = bench.advance(runId);
  await hold.reached();
  return { runId, advanced, hold };
}

test(
  verifies(
    "engine:lost-commits",
    "between the failover and the check for lost commits nothing is sent; after it a person is asked, with the reason, and their answer sends it once",
  ),
  async () => {
    const { bench, server } = await openBench();
    const { runId } = await startTwoCalls(bench.deps, "fence");
    // The model is called when the step's start is on record, so the next write is the turn, which includes the call or
    // precedes it.
    const [asking, begun] = [holdAt("model-turn:before-call"), holdAt("settle-step:after-commit")];
    const advanced = bench.advance(runId);
    await Promise.all([asking.reached(), begun.reached()]);
    const [writing, hold] = [holdAt("write-run:before-commit"), holdAt("dispatch-call:before-executing-commit")];
    begun.release();
    asking.release();
    await hold.reached();
    await pretendFailover({ synchronous: false });
    hold.release();
    // It is retried repeatedly, as while the database is away.
    for (const count of [1, 2, 3]) (await writing.reachedBy(count))[count - 1]!.release();
    expect(await countCalls(server, FREE_TOOL, "fence")).toBe(0);

    const keep = createHistoryKeeper(bench.deps);
    await keep();
    await keep();
    writing.release();
    expect(await advanced).toEqual({ kind: "lost" });
    const marked = await readRun(runId);
    expect(marked).toMatchObject({
      leaseOwner: null,
      commitsLostAt: bench.deps.now(),
      wakeAt: new Date(bench.deps.now().getTime() + LEASE_MS),
    });
    expect(await database.db.event.count({ where: { chainId: runId, type: "run.commits_lost" } })).toBe(1);

    bench.clock.advance(LEASE_MS);
    await bench.advance(runId);
    const call = await findCall(runId);
    expect(call).toMatchObject({ status: "outcome_unknown", error: COMMITS_LOST });
    expect(await countCalls(server, FREE_TOOL, "fence")).toBe(0);

    bench.clock.advance(1);
    await settleCall(bench.deps, (await buildUser(bench.deps, "operator")).actor, {
      callId: call.id,
      outcome: "did_not_happen",
    });
    await bench.advance(runId);
    expect((await findCall(runId)).status).toBe("succeeded");
    expect(await countCalls(server, FREE_TOOL, "fence")).toBe(1);
  },
);

test("a worker that had the run before the failover writes nothing to it any more", async () => {
  const { bench, server } = await openBench();
  const { runId, advanced } = await standBeforeSending(bench, "stale");
  await pretendFailover({ synchronous: false });
  await createHistoryKeeper(bench.deps)();
  const before = await database.db.event.count({ where: { chainId: runId } });
  releaseAll();
  expect(await advanced).toEqual({ kind: "lost" });
  expect(await database.db.event.count({ where: { chainId: runId } })).toBe(before);
  expect(await countCalls(server, FREE_TOOL, "stale")).toBe(0);
});

test("if commits waited for a standby everything continues under the same leases, unless this process saw that they did not", async () => {
  const { bench, server } = await openBench();
  const kept = await standBeforeSending(bench, "kept");
  await pretendFailover({ synchronous: true });
  await createHistoryKeeper(bench.deps)();
  expect(await getHistory(database.db)).toMatchObject({ known: (await getHistory(database.db)).now });
  releaseAll();
  expect(await kept.advanced).toMatchObject({ kind: "parked" });
  expect(await countCalls(server, FREE_TOOL, "kept")).toBe(1);
  expect((await readRun(kept.runId)).commitsLostAt).toBeNull();

  const doubted = await standBeforeSending(bench, "doubted");
  const keep = createHistoryKeeper(bench.deps);
  await keep();
  const { now } = await getHistory(database.db);
  // As on a standby that was cut off before it could learn that nobody waits for it.
  await database.db
    .$executeRaw`CREATE OR REPLACE FUNCTION database_history() RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'promoted/00000002' $$`;
  await database.db.setting.update({
    where: { key: "database.history" },
    data: { value: { history: now, synchronous: true } },
  });
  await keep();
  releaseAll();
  expect(await doubted.advanced).toEqual({ kind: "lost" });
  expect((await readRun(doubted.runId)).commitsLostAt).not.toBeNull();
  // The first one waits for a person: nobody had it.
  expect((await readRun(kept.runId)).commitsLostAt).toBeNull();
});

import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { LEASE_MS } from "@/lib/limits";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import { writeAndGoOn } from "@/lib/runs/worker-slot";
import { startRun } from "@/lib/runs/start-run";
import { createId } from "@/lib/ids";
import { claimRun } from "@/lib/runs/journal/claim-run";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { useDatabase } from "@/lib/testing/database";
import { findCandidate } from "@/lib/testing/find-candidate";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { oneAgentProject, openRunBench, TEST_ACTOR } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";
import { startRunLoop } from "@/lib/runs/worker/run-loop";

const database = useDatabase();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  releaseAll();
  for (const close of closers.splice(0).reverse()) await close();
});

const PROJECT = oneAgentProject({
  url: "http://127.0.0.1:1/mcp",
  allowlist: "- echo",
  script: "agents: { worker: { turns: [{ output: { done: true } }] } }\n",
});
/** Without a notification a run is not claimed within a test. */
const NEVER_MS = 3_600_000;

/** `waiting` runs are there before its first poll. */
async function openLoop({ capacity = 4, waiting = 0 } = {}) {
  const bench = await openRunBench(database, PROJECT);
  const start = async () => (await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR })).runId;
  const ids: string[] = [];
  while (ids.length < waiting) ids.push(await start());
  const ownerId = createId("worker");
  const channel = openWakeChannel(database.url, ownerId, () => undefined);
  closers.push(() => channel.close());
  await channel.opened;
  const loop = startRunLoop(bench.deps, { ownerId, capacity, channel, pollMs: NEVER_MS });
  closers.push(() => loop.stop());
  // Its first poll must not find what a test starts later.
  await loop.look();
  const untilEnded = (runId: string) =>
    until(() => database.db.run.findUniqueOrThrow({ where: { id: runId } }), {
      what: "the run has ended",
      isDone: ({ status }) => isRunSettled(status),
    });
  return { bench, loop, channel, start, untilEnded, ids };
}

test("a run whose row is locked by a statement at that moment is claimed when it is free, without waiting for the next poll", async () => {
  const { loop, start, untilEnded } = await openLoop();
  const runId = await start();
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  closers.push(() => holder.end());
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM runs WHERE id = $1 FOR UPDATE", [runId]);
  loop.wake(runId);
  await until(
    () => database.db.$queryRaw<object[]>`
      SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    { what: "the claim waits for the row", isDone: (waiting) => waiting.length > 0 },
  );
  expect(await database.db.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({
    status: "pending",
    leaseOwner: null,
  });
  await holder.query("COMMIT");
  await untilEnded(runId);
});

test("a worker slot is free again after a write that gave its run nothing to do, and after one that failed", async () => {
  const { bench, loop, untilEnded } = await openLoop({ capacity: 1 });
  const deps = { ...bench.deps, workerSlot: loop.workerSlot };
  const none = { runId: createId("run"), isWoken: () => false };
  const writeNothing = async () => ({ done: null, claimed: null });
  await writeAndGoOn(deps, { ...none, write: writeNothing });
  await expect(
    writeAndGoOn(deps, { ...none, write: () => deps.db.$queryRaw`SELECT 1 / 0`.then(writeNothing) }),
  ).rejects.toThrow("division by zero");
  await expect(writeAndGoOn(deps, { ...none, write: () => Promise.reject(new Error("refused")) })).rejects.toThrow(
    "refused",
  );
  const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
  expect(bench.woken).toEqual([]);
  await untilEnded(runId);
});

test("a run is claimed in the commit that creates it when this process has a free worker slot, and otherwise left to a notification", async () => {
  const { bench, loop, untilEnded } = await openLoop({ capacity: 1 });
  const deps = { ...bench.deps, workerSlot: loop.workerSlot };
  const start = async () => (await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR })).runId;
  const held = holdAt("start-run:after-commit", { first: 1 });
  const starting = start();
  const { subject: taken } = await held.reached();
  const events = await database.db.event.findMany({
    where: { chainId: taken! },
    orderBy: [{ seq: "asc" }, { place: "asc" }],
    select: { type: true, tx: true },
  });
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["run.created", "run.started"]);
  expect(events[1]!.tx).toBe(events[0]!.tx);
  const left = await start();
  expect(bench.woken).toEqual([left]);
  expect(await database.db.run.findUniqueOrThrow({ where: { id: left } })).toMatchObject({
    status: "pending",
    leaseOwner: null,
  });
  held.release();
  expect(await starting).toBe(taken);
  await untilEnded(taken!);
});

test("others are notified of a run that another process has, and not of one that this process claims", async () => {
  const { bench, loop, channel, start, untilEnded } = await openLoop();
  const other = createId("worker");
  const heard: string[] = [];
  const listener = openWakeChannel(database.url, other, (runId) => void heard.push(runId));
  closers.push(() => listener.close());
  await listener.opened;
  const wake = (runId: string) => loop.wake(runId, () => channel.call(runId));

  const [own, theirs] = [await start(), await start()];
  const candidate = (await findCandidate(database.db, theirs))!;
  const claimer = { owner: other, leaseMs: LEASE_MS };
  expect(await claimRun(database.db, candidate, claimer, bench.deps.now())).not.toBeNull();
  wake(own);
  await untilEnded(own);
  wake(theirs);
  await until(async () => heard, { what: "the other process is called", isDone: ({ length }) => length > 0 });
  expect(heard).toEqual([theirs]);
});

test("a slot that became free is filled at once although others claimed what was listed before", async () => {
  const held = holdAt("claim-run:after-commit", { first: 1 });
  const {
    bench,
    start,
    untilEnded,
    ids: [first = "", second = ""],
  } = await openLoop({ capacity: 1, waiting: 2 });
  // More than fit are listed: the second one waits for its turn.
  expect(await held.reached()).toMatchObject({ subject: first });
  const other = createId("worker");
  const itsChannel = openWakeChannel(database.url, other, () => undefined);
  closers.push(() => itsChannel.close());
  await itsChannel.opened;
  const candidate = (await findCandidate(database.db, second))!;
  const claimer = { owner: other, leaseMs: LEASE_MS };
  expect(await claimRun(database.db, candidate, claimer, bench.deps.now())).not.toBeNull();
  const third = await start();
  held.release();
  await untilEnded(first);
  await untilEnded(third);
  expect(await database.db.run.findUniqueOrThrow({ where: { id: second } })).toMatchObject({ status: "running" });
});

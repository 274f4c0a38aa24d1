/** The journal by itself: what is written, what is refused, and what a reader folds from it. */
import { afterEach, expect, test } from "vitest";
import { createId } from "@/lib/ids";
import { useDatabase } from "@/lib/testing/database";
import type { NewRun } from "@/lib/runs/changes/run-created";
import type { TurnRecorded } from "@/lib/runs/changes/turn-recorded";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { changeLockedRun, changeRun } from "@/lib/runs/journal/change-run";
import { claimRun } from "@/lib/runs/journal/claim-run";
import { getOpenRun } from "@/lib/runs/journal/open-run";
import { LeaseLost, RunWriter } from "@/lib/runs/journal/run-writer";
import { writeNewRun } from "@/lib/runs/journal/start-run";

const database = useDatabase();
const NOW = new Date("2026-11-17T10:00:00.000Z");
const LEASE_MS = 5_000;

afterEach(releaseAll);

async function newRun(): Promise<NewRun> {
  const { db } = database;
  await db.projectVersion.upsert({
    where: { hash: "h" },
    create: { hash: "h", content: Buffer.from("x") },
    update: {},
  });
  const id = createId("run");
  return {
    id,
    workflow: "main",
    version: "",
    configHash: "h",
    startedBy: { kind: "system", id: "test", name: "Test" },
    startedByUserId: null,
    starterIds: [],
    retryOfRunId: null,
    sessionId: null,
    params: { n: 1 },
    agents: ["worker"],
    costBudgetUsd: null,
    steps: [{ id: createId("step"), key: "one", type: "agent", agent: "worker" }],
    secrets: null,
  };
}

async function startClaimed() {
  const run = await newRun();
  const claimed = await writeNewRun(database.db, run, { owner: "w1", leaseMs: LEASE_MS }, NOW);
  if (!claimed) throw new Error("not claimed");
  let news = 0;
  const writer = new RunWriter(database.db, claimed.run, claimed.lease, { onNews: () => (news += 1) });
  const started = {
    kind: "step_moved",
    at: NOW.toISOString(),
    move: { stepId: run.steps[0]!.id, key: "one", to: "running" },
  } as const;
  return { run, writer, claimed, started, news: () => news };
}

test("what a worker writes is what a reader folds", async () => {
  const { run, writer, started } = await startClaimed();
  await writer.later(started);
  await writer.now({ kind: "server_missed", at: NOW.toISOString(), server: "shop", message: "away" });
  const read = await getOpenRun(database.db, run.id);
  expect(read.snapshot).toEqual(writer.run.snapshot);
  expect(read.head.seq).toBe(2);
  expect(read.snapshot.steps.get(run.steps[0]!.id)).toMatchObject({ status: "running" });
});

test("what a worker changes while one of its commits is in flight reaches the run's row with its own commit", async () => {
  const { run, writer, started } = await startClaimed();
  const [{ id: stepId } = { id: "" }] = run.steps;
  const turn = {
    kind: "turn_recorded",
    at: NOW.toISOString(),
    stepId,
    turn: {
      id: createId("turn"),
      stepId,
      number: 1,
      model: "test/m",
      request: { messages: [], group: "standard", tools: [] },
      response: null,
      tokensIn: 9,
      tokensOut: 5,
      costUsd: 0.25,
      durationMs: 1,
    },
    calls: [],
    approvals: [],
    stepState: {},
    warnsOfBudget: false,
  } as unknown as TurnRecorded;
  const first = holdAt("write-run:before-commit", { subject: run.id, first: 1 });
  const written = writer.now(started);
  await first.reached();
  await writer.later(turn);
  const second = holdAt("write-run:before-commit", { subject: run.id });
  first.release();
  await written;
  await second.reached();
  expect((await getOpenRun(database.db, run.id)).snapshot.run.tokensIn, "the row agrees with its journal").toBe(0);
  second.release();
  await writer.flush();
  expect((await getOpenRun(database.db, run.id)).snapshot.run.tokensIn).toBe(9);
});

test("what was deferred while the lease was lost does not stay queued: those who wait for it get an error", async () => {
  const { run, writer, started } = await startClaimed();
  const held = holdAt("write-run:before-commit", { subject: run.id });
  await writer.later(started);
  const flushed = writer.flush().catch((error: unknown) => error);
  await held.reached();
  await writer.later({ kind: "server_missed", at: NOW.toISOString(), server: "shop", message: "away" });
  await database.db.$executeRaw`UPDATE runs SET lease_owner = 'w2', epoch = epoch + 1 WHERE id = ${run.id}`;
  held.release();
  expect(await flushed).toBeInstanceOf(LeaseLost);
  await expect(writer.now(started)).rejects.toThrow(LeaseLost);
});

test("a change from outside is added to the worker's state before its next write", async () => {
  const { run, writer, started, news } = await startClaimed();
  const note = {
    kind: "approval_noted",
    at: NOW.toISOString(),
    type: "approval.taken_up",
    data: { approval_id: "apr_1" },
    actor: run.startedBy,
  } as const;
  await changeRun(database.db, run.id, {
    at: NOW,
    build: () => ({ changes: [note], queue: { kind: "wake" }, done: null }),
  });
  await writer.now(started);
  expect(news()).toBe(1);
  expect((await getOpenRun(database.db, run.id)).head.seq).toBe(3);
});

test("a change that was judged by an older state of the run is not made when another commit came in between", async () => {
  const { run, writer, news } = await startClaimed();
  const note = {
    kind: "approval_noted",
    at: NOW.toISOString(),
    type: "approval.taken_up",
    data: {},
    actor: run.startedBy,
  } as const;
  await changeRun(database.db, run.id, {
    at: NOW,
    build: () => ({ changes: [note], queue: { kind: "wake" }, done: null }),
  });
  const parked = {
    kind: "run_parked",
    at: NOW.toISOString(),
    status: "running",
    wakeAt: NOW.toISOString(),
    activeMs: 1,
    worker: "w1",
  } as const;
  const tentative = (seen: number) => ({
    build: () => parked,
    touches: {},
    queue: { kind: "release", wakeAt: NOW } as const,
    fits: () => news() === seen,
  });
  expect(await writer.try(tentative(0))).toBe("refused");
  expect(await writer.try(tentative(1))).toBe("done");
  const again = await claimRun(database.db, { id: run.id, leaseOwner: null }, { owner: "w2", leaseMs: LEASE_MS }, NOW);
  expect(again?.lease).toMatchObject({ owner: "w2", epoch: 2 });
  await expect(writer.now({ kind: "server_missed", at: NOW.toISOString(), server: "x", message: "" })).rejects.toThrow(
    LeaseLost,
  );
});

test.each([
  ["its data", "data = replace(data, 'run_created', 'run_ended')"],
  ["its events", "body = replace(body, 'main', 'other')"],
  ["its seal", "mac = decode('00', 'hex') || substring(mac from 2)"],
])("a journal row of which somebody changed %s is not read", async (_what, change) => {
  const { run } = await startClaimed();
  await database.db.$executeRawUnsafe("GRANT UPDATE ON journal, journal_other TO CURRENT_USER");
  await database.db.$executeRawUnsafe("ALTER TABLE journal DISABLE TRIGGER journal_append_only");
  await database.db.$executeRawUnsafe(`UPDATE journal SET ${change} WHERE run_id = '${run.id}'`);
  await database.db.$executeRawUnsafe("ALTER TABLE journal ENABLE TRIGGER journal_append_only");
  await expect(getOpenRun(database.db, run.id)).rejects.toThrow(/The record of run .* was changed in the database/);
});

test("rows that only reference a run do not wait for a change of it under a lock", async () => {
  const { run } = await startClaimed();
  const note = {
    kind: "approval_noted",
    at: NOW.toISOString(),
    type: "approval.taken_up",
    data: {},
    actor: run.startedBy,
  } as const;
  const build = () => ({ changes: [note], queue: { kind: "wake" } as const, done: null });
  await database.db.$transaction(async (tx) => {
    expect(await changeLockedRun(tx, run.id, { build, at: NOW })).toMatchObject({ kind: "done" });
    // On another connection: a retry references the run that it retries.
    await database.db.$transaction(async (other) => {
      await other.$executeRaw`SET LOCAL lock_timeout = '5s'`;
      await writeNewRun(other, { ...(await newRun()), retryOfRunId: run.id }, null, NOW);
    });
  });
});

test("reading a run that retention has removed says so", async () => {
  const { run } = await startClaimed();
  await database.db.step.deleteMany({ where: { runId: run.id } });
  await database.db.$executeRaw`DELETE FROM run_search WHERE run_id = ${run.id}`;
  await database.db.run.delete({ where: { id: run.id } });
  const removed = /ended on 2026-11-17 and was removed after the time that `retention` in policy.yaml gives/;
  await expect(getOpenRun(database.db, run.id)).rejects.toThrow(removed);
  await expect(changeRun(database.db, run.id, { at: NOW, build: () => null })).rejects.toThrow(removed);
  await expect(getOpenRun(database.db, "run_none")).rejects.toThrow("There is no run run_none.");
});

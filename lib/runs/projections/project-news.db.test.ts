import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { auditKeys } from "@/lib/database/audit-keys";
import { connect, type Db } from "@/lib/database/client";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import type { RunChange } from "@/lib/runs/changes/registry";
import { changeRun } from "@/lib/runs/journal/change-run";
import { sealEntry } from "@/lib/runs/journal/entry";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { getProjectionLag } from "@/lib/runs/queries/get-projection-lag";
import { projectChain } from "@/lib/testing/project-all";
import type { Projector } from "@/lib/runs/projections/project-chains";
import { createProjectionTask, projectNews } from "@/lib/runs/projections/project-news";
import { rebuildProjections } from "@/lib/runs/projections/rebuild-projections";
import { aRun, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import { openCountingLine } from "@/lib/testing/counting-line";
import { useDatabase } from "@/lib/testing/database";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import type { Hold } from "@/lib/testing/pause-registry";
import { until } from "@/lib/testing/until";
import { withOpenJournal } from "@/lib/testing/open-journal";
import { keepTestVersion, writeRuns } from "@/lib/testing/write-runs";

const database = useDatabase();
/** A client that does not bring the projections up to date by itself. */
let db: Db;
const at = new Date("2026-01-01T10:00:00.000Z");

beforeAll(async () => {
  db = connect(database.url, 6);
  await keepTestVersion(db);
});
afterAll(() => db.$disconnect());
beforeEach(() => settle());
afterEach(() => {
  releaseAll();
  vi.restoreAllMocks();
});

const newProjector = () => ({ db, cache: new FoldCache() });

/** Looks until nothing is left. Rows of transactions still open elsewhere on this server are seen a moment later. */
const settle = (projector = newProjector()) =>
  until(() => projectNews(projector).then(listUnprojected), {
    what: "all is projected",
    isDone: (left) => left.length === 0,
  });

const listUnprojected = () => db.$queryRaw<
  { id: string }[]
>`SELECT r.id FROM runs r LEFT JOIN projected_runs p ON p.run_id = r.id
  WHERE r.seq > coalesce(p.seq, 0)`;

async function newRun(): Promise<{ runId: string; stepId: string }> {
  const run = aRun();
  await writeNewRun(db, run, null, at);
  return { runId: run.id, stepId: run.steps[0]?.id ?? "" };
}

const make = (runId: string, change: RunChange) =>
  changeRun(db, runId, {
    at: new Date(change.at),
    build: () => ({ changes: [change], queue: { kind: "stay" }, done: null }),
  });

const addTurn = ({ runId, stepId }: { runId: string; stepId: string }, number: number) =>
  make(
    runId,
    turnRecordedAt(at.toISOString(), stepId, { turn: aTurn(stepId, { number, response: "x".repeat(2_000) }) }),
  );

const countSteps = (runId: string) => db.step.count({ where: { runId } });

test("what was written since the last look is projected, and the next look finds nothing", async () => {
  const run = await newRun();
  await settle();
  expect(await countSteps(run.runId)).toBe(1);
  await addTurn(run, 1);
  await settle();
  expect(await db.turn.count({ where: { runId: run.runId } })).toBe(1);
  const place = () => db.setting.findUniqueOrThrow({ where: { key: "projections.place" } });
  const before = await place();
  expect(await projectNews(newProjector())).toEqual({ isAll: true });
  expect(await place()).toEqual(before);
});

test("a transaction that commits after later ones is not missed", async () => {
  const slow = aRun();
  const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = db.$transaction(
    async (tx) => {
      await writeRuns(tx as Db, [{ run: slow, at }]);
      written.resolve();
      await mayCommit.promise;
    },
    { timeout: 60_000 },
  );
  await Promise.race([written.promise, late]);
  const quick = await newRun();
  const projector = newProjector();
  await projectNews(projector);
  expect(await countSteps(slow.id)).toBe(0);
  mayCommit.resolve();
  await late;
  await settle();
  expect([await countSteps(slow.id), await countSteps(quick.runId)]).toEqual([1, 1]);
});

test("a process that ends between two batches leaves the rest to the next one", async () => {
  const told = Array.from({ length: 1_200 }, () => ({ run: aRun(), at }));
  await writeRuns(db, told);
  const hold = holdAt("projections:after-commit", { first: 1 });
  const stopped = settle(newProjector());
  await hold.reached();
  const left = (await listUnprojected()).length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(told.length);
  // It does nothing more until another has done its work, as if it were gone.
  await settle();
  const ids = told.map(({ run: { id } }) => id);
  expect(await db.step.count({ where: { runId: { in: ids } } })).toBe(told.length);
  hold.release();
  await stopped;
  expect(await db.event.count({ where: { chainId: { in: ids } } })).toBe(told.length);
});

test("one process projects at a time", async () => {
  await newRun();
  const hold = holdAt("projections:before-commit", { first: 1 });
  const first = settle();
  await hold.reached();
  expect(await projectNews(newProjector())).toBeNull();
  hold.release();
  await first;
});

test("a process that is suspended within its transaction loses the lock to another, and writes nothing more", async () => {
  const run = await newRun();
  const hold = holdAt("projections:before-commit", { first: 1 });
  // Settled either way: its caller gets the error that its connection is gone.
  const first = Promise.allSettled([projectUntilHeld({ ...newProjector(), idleMs: 200 }, hold)]);
  const standing = await hold.reached();
  await settle();
  expect(await countSteps(run.runId)).toBe(1);
  standing.release();
  expect(await first).toEqual([{ status: "rejected", reason: expect.any(Error) }]);
  expect(await db.event.count({ where: { chainId: run.runId } })).toBe(1);
});

test("a projector needs only the one connection that has its lock", async () => {
  const { runId } = await newRun();
  const narrow = connect(database.url, 2, { waitMs: 1_000 });
  await projectChain(narrow, runId);
  await narrow.$disconnect();
  expect(await countSteps(runId)).toBe(1);
});

/** Rows of transactions still open elsewhere on this server are seen a moment later. */
async function projectUntilHeld(projector: Projector, hold: Hold): Promise<void> {
  const isHeld = { now: false };
  void hold.reached().then(() => (isHeld.now = true));
  while (!isHeld.now) await projectNews(projector);
}

test("a run whose record was changed by hand is left unchanged, and does not block others", async () => {
  const [bad, good] = [await newRun(), await newRun()];
  const [{ data } = { data: "" }] = await db.$queryRaw<
    { data: string }[]
  >`SELECT data FROM journal WHERE run_id = ${bad.runId}`;
  const write = (text: string) =>
    withOpenJournal(db, (tx) => tx.$executeRaw`UPDATE journal SET data = ${text} WHERE run_id = ${bad.runId}`);
  await write(data.replace('"agent"', '"webhook"'));
  const said = vi.spyOn(log, "error").mockReturnValue(undefined);
  await until(() => createProjectionTask(db)().then(() => countSteps(good.runId)), {
    what: "the good one",
    isDone: (count) => count === 1,
  });
  expect(await countSteps(bad.runId)).toBe(0);
  expect(said).toHaveBeenCalledWith(expect.objectContaining({ run: bad.runId }), expect.stringContaining("no further"));
  await write(data);
  await rebuildProjections(db, () => undefined);
  expect(await countSteps(bad.runId)).toBe(1);
});

test("a long run is not read from the start for each new row, as long as there is room for it", async () => {
  const run = await newRun();
  for (let number = 1; number <= 60; number += 1) await addTurn(run, number);
  const line = await openCountingLine(database.url);
  const readBy = async (cache: FoldCache) => {
    const projector = { db: line.db, cache };
    const look = () =>
      until(() => projectNews(projector).then(listUnprojected), {
        what: "all is projected",
        isDone: (left) => left.length === 0,
      });
    await look();
    await addTurn(run, (await db.turn.count({ where: { runId: run.runId } })) + 1);
    return line.during(look);
  };
  const roomy = await readBy(new FoldCache());
  const narrow = await readBy(new FoldCache(1_000));
  expect(narrow).toBeGreaterThan(roomy * 5);
  expect(await db.turn.count({ where: { runId: run.runId } })).toBe(62);
  await line.close();
});

test("a database whose transaction numbers restarted is read as a whole", async () => {
  const run = await newRun();
  await db.setting.update({ where: { key: "projections.place" }, data: { value: { tx: "900000000000", fill: null } } });
  await settle();
  expect(await countSteps(run.runId)).toBe(1);
});

test("an interrupted rebuild is continued by the next look", async () => {
  const run = await newRun();
  await settle();
  const hold = holdAt("projections:before-commit", { first: 1 });
  const rebuild = rebuildProjections(db, () => undefined);
  const standing = await hold.reached();
  expect(await countSteps(run.runId)).toBe(0);
  await db.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7461004
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  // Its transaction is gone, and it does nothing more until another has done its work.
  await settle();
  expect(await countSteps(run.runId)).toBe(1);
  standing.release();
  await rebuild.catch(() => undefined);
  expect(await countSteps(run.runId)).toBe(1);
});

test("a rebuild keeps the trail of a run that retention removed", async () => {
  const { runId } = await newRun();
  await settle();
  await db.step.deleteMany({ where: { runId } });
  await db.$executeRaw`DELETE FROM run_search WHERE run_id = ${runId}`;
  await db.run.delete({ where: { id: runId } });
  const read = () => db.event.findMany({ where: { chainId: runId }, select: { id: true, type: true } });
  const before = await read();
  expect(before).toMatchObject([{ type: "run.created" }]);
  await rebuildProjections(db, () => undefined);
  expect(await read()).toEqual(before);
  expect(await countSteps(runId)).toBe(0);
});

test("events of the system chain are projected, without rows that were not sealed", async () => {
  const write = async (type: string, forge = (text: string) => text) => {
    const event = { id: createId("event"), type, at: at.toISOString(), actor: SYSTEM_ACTOR, data: { n: 1 } };
    const { body, mac } = sealEntry(
      { chain: "system", at: at.toISOString(), events: [event], data: null },
      auditKeys()[0],
    );
    await db.$executeRaw`INSERT INTO journal (run_id, seq, at, body, mac, hash)
      SELECT 'system', n.seq, ${at}, ${forge(body)}, ${mac}, n.hash FROM next_in_chain('system', ${mac}, ${body}) AS n`;
  };
  await write("user.created");
  await write("user.forged", (body) => body.replace('"n":1', '"n":2'));
  await write("user.disabled");
  const read = async () =>
    (await db.event.findMany({ where: { chainId: "system" }, orderBy: { seq: "asc" } })).map(({ type }) => type);
  await until(() => createProjectionTask(db)().then(read), {
    what: "the last",
    isDone: (types) => types.includes("user.disabled"),
  });
  expect(await read()).toEqual(["user.created", "user.disabled"]);
});

test("the lag is the age of the oldest row that is not projected", async () => {
  const now = new Date(at.getTime() + 5_000);
  expect(await getProjectionLag(db, now)).toEqual({ behindMs: 0 });
  await newRun();
  expect(await getProjectionLag(db, now)).toEqual({ behindMs: 5_000 });
  await settle();
  expect(await getProjectionLag(db, now)).toEqual({ behindMs: 0 });
});

test("the client of a test is never behind", async () => {
  const { runId } = await newRun();
  expect(await database.db.step.count({ where: { runId } })).toBe(1);
  const other = await newRun();
  const found = await database.db.run.findUniqueOrThrow({ where: { id: other.runId }, select: { steps: true } });
  expect(found.steps).toHaveLength(1);
  const third = await newRun();
  expect(await database.db.$queryRaw`SELECT id FROM steps WHERE run_id = ${third.runId}`).toEqual([
    { id: third.stepId },
  ]);
});

// The last one, because what does not fit stays unprojected.
test("a run that does not fit into the tables does not block others", async () => {
  const [odd, good] = [aRun({ steps: [] }), aRun()];
  const stepId = createId("step");
  const steps = [{ id: stepId, key: "work", type: "agent", agent: null, itemIndex: 0 } as const];
  await writeRuns(db, [
    { run: odd, at, commits: [[{ kind: "steps_added", at: at.toISOString(), steps }]] },
    { run: good, at },
  ]);
  const said = vi.spyOn(log, "error").mockReturnValue(undefined);
  await until(() => createProjectionTask(db)().then(() => countSteps(good.id)), {
    what: "the good one",
    isDone: (count) => count === 1,
  });
  expect(await countSteps(odd.id)).toBe(0);
  expect(said).toHaveBeenCalledWith(expect.objectContaining({ chain: odd.id }), expect.any(String));
});

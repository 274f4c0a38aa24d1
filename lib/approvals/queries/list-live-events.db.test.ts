import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "@/lib/database/client";
import { eventIdAt, lookAtEvents } from "@/lib/approvals/queries/list-live-events";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { projectChain } from "@/lib/testing/project-all";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { type JournalRun, startJournalRun } from "@/lib/testing/journal-run";
import { HANG_MS } from "@/lib/testing/hang";

const template = useDatabase();
/** A client that does not bring the projections up to date by itself. */
const database = {} as { db: Db; url: string; closing: (() => Promise<void>)[] };
beforeAll(() => void Object.assign(database, template, { db: connect(template.url, 4) }));
afterAll(() => database.db.$disconnect());
const since = () => eventIdAt(new Date(Date.now() - 60_000));
const look = (snapshot: string | null) => lookAtEvents(database.db, { snapshot, since: since() });
const LONG = { timeout: HANG_MS };
const review = (run: JournalRun) =>
  run.change((_, at) => [
    { kind: "run_claimed", at, worker: "wrk_test", from: null, was: "pending" },
    { kind: "step_moved", at, move: { stepId: run.stepId, key: "work", to: "running" } },
    { kind: "step_moved", at, move: { stepId: run.stepId, key: "work", to: "needs_human_review" } },
  ]);

test("each event is in exactly one look, whether or not it is projected, and the first look includes what came just before", async () => {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  const { approvalId } = await run.ask();
  const first = await look(null);
  expect(first.events.filter(({ runId }) => runId === run.id)).toMatchObject([
    { type: "approval.requested", approvalId, actor: SYSTEM_ACTOR },
  ]);
  await run.decide(approvalId, (await buildUser(deps, "reviewer", { name: "Ana" })).actor);
  const second = await look(first.snapshot);
  expect(second.events).toMatchObject([
    { type: "approval.decided", approvalId, verdict: "approved", actor: { kind: "user", name: "Ana" } },
  ]);
  expect((await look(second.snapshot)).events).toEqual([]);
});

test("what is projected is found by its id, and reported once", async () => {
  const run = await startJournalRun(testDeps(database));
  await run.ask();
  const ofRun = async () => (await look(null)).events.filter(({ runId }) => runId === run.id);
  const before = await ofRun();
  await projectChain(database.db, run.id);
  expect(await ofRun()).toEqual(before);
});

test("a run that asks nobody is not reported; one whose answer waits for a review is, from that moment on", async () => {
  const deps = testDeps(database);
  const [quiet, asking] = [await startJournalRun(deps), await startJournalRun(deps)];
  const { snapshot } = await look(null);
  const end = { steps: [], calls: [], approvals: [] };
  const by = { kind: "user", id: "usr_x", name: "X" } as const;
  await quiet.change((_, at) => [{ kind: "run_cancelled", at, reason: null, leftOpen: end, actor: by }]);
  await review(asking);
  expect((await look(snapshot)).events.map(({ runId, type }) => [runId, type])).toEqual([
    [asking.id, "step.needs_human_review"],
  ]);
});

test("an event that commits late is reported when it does, however many came before it", async () => {
  const deps = testDeps(database);
  const late = await startJournalRun(deps);
  await late.ask();
  const { snapshot } = await look(null);
  const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const committing = database.db.$transaction(async (tx) => {
    await tx.$executeRaw`INSERT INTO journal (run_id, seq, at, body, mac, hash)
        SELECT run_id, seq + 100, at, replace(body, 'run.parked', 'call.settled'), mac, hash
        FROM journal WHERE run_id = ${late.id} ORDER BY seq DESC LIMIT 1`;
    written.resolve();
    await mayCommit.promise;
  }, LONG);
  await written.promise;
  const other = await startJournalRun(deps);
  await other.ask();
  const second = await look(snapshot);
  expect(second.events.map(({ runId, type }) => [runId, type])).toEqual([[other.id, "approval.requested"]]);
  mayCommit.resolve();
  await committing;
  expect((await look(second.snapshot)).events.map(({ runId, type }) => [runId, type])).toEqual([
    [late.id, "call.settled"],
  ]);
});

test("a run with a thousand new events does not make a look search its journal a thousand times", async () => {
  const scansOf = async (events: number) => {
    const run = await startJournalRun(testDeps(database));
    const { snapshot } = await look(null);
    await database.db.$executeRaw`INSERT INTO journal (run_id, seq, at, body, mac, hash)
      SELECT run_id, seq + added, at, replace(body, 'run.created', 'call.succeeded'), mac, hash
      FROM journal, generate_series(1, ${events}::int) AS added WHERE run_id = ${run.id} AND seq = 1`;
    return database.db.$transaction(async (tx) => {
      await lookAtEvents(tx, { snapshot, since: since() });
      const [counted] = await tx.$queryRaw<
        { scans: bigint }[]
      >`SELECT sum(coalesce(idx_scan, 0) + seq_scan)::bigint AS scans
        FROM pg_stat_xact_user_tables WHERE relname LIKE 'journal%'`;
      return Number(counted?.scans);
    }, LONG);
  };
  const few = await scansOf(10);
  expect(few).toBeGreaterThan(0);
  expect(await scansOf(1_000)).toBeLessThan(10 * few);
});

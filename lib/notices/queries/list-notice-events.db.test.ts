import { expect, test } from "vitest";
import { listNoticeEvents } from "@/lib/notices/queries/list-notice-events";
import { queueNotices } from "@/lib/notices/transitions/queue-notices";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { startJournalRun } from "@/lib/testing/journal-run";
import { until } from "@/lib/testing/until";

const database = useDatabase();
const EVERYTHING = 2n ** 62n;
const FIRST = { tx: 0n, id: "" };

const listOf = async (runId: string) =>
  (await listNoticeEvents(database.db, { after: FIRST, before: EVERYTHING, limit: 1_000 })).filter(
    ({ facts }) => facts.runId === runId,
  );

test("a question and its decision are read from the journal alone, with what the inbox shows of the call", async () => {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  const { callId, approvalId } = await run.ask();
  const ana = await buildUser(deps, "reviewer", { name: "Ana" });
  await run.decide(approvalId, ana.actor);
  const call = { callId, agent: "worker", server: "bank", tool: "pay", danger: "high", workflow: "main" };
  expect(await listOf(run.id)).toEqual([
    {
      place: expect.anything(),
      type: "approval.requested",
      facts: expect.objectContaining({ ...call, decided: null }),
    },
    {
      place: expect.anything(),
      type: "approval.decided",
      facts: expect.objectContaining({ ...call, decided: { by: "Ana", verdict: "approved" } }),
    },
  ]);
  expect((await listOf(run.id))[0]!.facts.approval).toMatchObject({ id: approvalId, starterIds: ["usr_starter"] });
});

test("a call with an unknown outcome is reported with what the journal has of it", async () => {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  const { callId, approvalId } = await run.ask();
  await run.decide(approvalId, (await buildUser(deps, "reviewer")).actor);
  await run.change((_, at) => [{ kind: "run_claimed", at, worker: "wrk_test", from: null, was: "pending_approval" }]);
  await run.change((_, at) => [{ kind: "call_unknown", at, callId, isCommitLost: false }]);
  expect((await listOf(run.id)).at(-1)).toMatchObject({
    type: "call.outcome_unknown",
    facts: { callId, agent: "worker", server: "bank", tool: "pay", danger: "high", approval: null },
  });
});

test("pages of one event each join without gap or repeat, also within one journal row", async () => {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  const { approvalId } = await run.ask();
  await run.decide(approvalId, (await buildUser(deps, "reviewer")).actor);
  const twice = await startJournalRun(deps);
  await twice.change((_, at) => [
    { kind: "run_claimed", at, worker: "wrk_test", from: null, was: "pending" },
    { kind: "run_parked", at, status: "needs_human_review", wakeAt: null, activeMs: 1, worker: "wrk_test" },
    { kind: "run_claimed", at, worker: "wrk_test", from: null, was: "needs_human_review" },
    { kind: "run_parked", at, status: "needs_human_review", wakeAt: null, activeMs: 1, worker: "wrk_test" },
  ]);
  expect(await listOf(twice.id)).toHaveLength(2);
  const all = await listNoticeEvents(database.db, { after: FIRST, before: EVERYTHING, limit: 1_000 });
  const paged: typeof all = [];
  for (let after = FIRST; ;) {
    const [next] = await listNoticeEvents(database.db, { after, before: EVERYTHING, limit: 1 });
    if (!next) break;
    paged.push(next);
    after = next.place;
  }
  expect(paged).toEqual(all);
});

test("events without a run make no messages, and what was read is not read again", async () => {
  const deps = testDeps(database);
  const seen: string[] = [];
  const look = () => queueNotices(database.db, (type) => (seen.push(type), []), deps.now());
  // An open transaction anywhere on the server delays the reader.
  const lookAtAll = () =>
    until(async () => (await look(), isLookedThrough()), {
      what: "a look at all that happened",
      isDone: (isAll) => isAll,
    });
  await lookAtAll();
  const before = seen.length;
  const run = await startJournalRun(deps);
  await run.ask();
  await buildUser(deps, "viewer");
  await lookAtAll();
  await look();
  expect(seen.slice(before)).toEqual(["approval.requested"]);
});

async function isLookedThrough(): Promise<boolean> {
  const [row] = await database.db.$queryRaw<
    { isAll: boolean }[]
  >`SELECT coalesce((SELECT (value ->> 'tx')::bigint FROM settings
    WHERE key = 'notices.place') > (SELECT max(tx) FROM journal), false) AS "isAll"`;
  return row!.isAll;
}

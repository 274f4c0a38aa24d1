import { expect, test } from "vitest";
import { RecordChanged } from "@/lib/runs/journal/fold";
import { stopChangedRun } from "@/lib/runs/journal/stop-changed-run";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { listRunEvents } from "@/lib/runs/queries/list-run-events";
import { readRun } from "@/lib/runs/queries/read-run";
import { aCall, aQuestion, aRun, aStep, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import { openCountingLine } from "@/lib/testing/counting-line";
import { useDatabase } from "@/lib/testing/database";
import { makeChanges } from "@/lib/testing/make-changes";
import { withOpenJournal } from "@/lib/testing/open-journal";
import { keepTestVersion } from "@/lib/testing/write-runs";

const database = useDatabase();
const at = "2026-01-01T10:00:00.000Z";

async function newRun(): Promise<{ runId: string; stepId: string }> {
  await keepTestVersion(database.db);
  const step = aStep();
  const run = aRun({ steps: [step] });
  await writeNewRun(database.db, run, { owner: "wrk_test", leaseMs: 60_000 }, new Date(at));
  return { runId: run.id, stepId: step.id };
}

const addTurn = ({ runId, stepId }: { runId: string; stepId: string }, number: number) =>
  makeChanges(database.db, runId, () => [
    turnRecordedAt(at, stepId, { turn: aTurn(stepId, { number, response: { text: "x".repeat(2_000) } }) }),
  ]);

test("what was committed is there at the next read, however many read at once", async () => {
  const run = await newRun();
  for (const number of [1, 2, 3]) {
    const looks = [readRun(database.db, run.runId), addTurn(run, number), readRun(database.db, run.runId)];
    await Promise.all(looks);
    const reads = await Promise.all([1, 2, 3].map(() => readRun(database.db, run.runId)));
    expect(reads.map((read) => read?.snapshot.turns.get(run.stepId)?.length)).toEqual([number, number, number]);
  }
  expect(await readRun(database.db, "run_01aaaaaaaaaaaaaaaaaaaaaaaa")).toBeNull();
});

test("for a long run that was read before only the new rows are read", async () => {
  const run = await newRun();
  for (let number = 1; number <= 40; number += 1) await addTurn(run, number);
  const line = await openCountingLine(database.url);
  await findRunPage(line.db, run.runId, new Date());
  const first = await line.during(() => readRun(line.db, run.runId));
  await addTurn(run, 41);
  const next = await line.during(() => readRun(line.db, run.runId));
  expect([first, next].map((bytes) => bytes < 20_000)).toEqual([true, true]);
  expect((await readRun(line.db, run.runId))?.snapshot.turns.get(run.stepId)).toHaveLength(41);
  await line.close();
});

test("events are numbered without gaps, and each page follows the one before", async () => {
  const run = await newRun();
  const call = aCall(run.stepId, { status: "pending_approval" });
  const recorded = { turn: aTurn(run.stepId), calls: [call], approvals: [aQuestion(call)] };
  await makeChanges(database.db, run.runId, () => [turnRecordedAt(at, run.stepId, recorded)]);
  const whole = await listRunEvents(database.db, run.runId);
  expect(whole.items.map(({ seq, type }) => [seq, type])).toEqual([
    [1, "run.created"],
    [2, "run.started"],
    [3, "turn.recorded"],
    [4, "call.pending_approval"],
    [5, "approval.requested"],
  ]);
  const pages = [];
  for (let after = 0; after < 5;) {
    const page = await listRunEvents(database.db, run.runId, { after, limit: 2 });
    pages.push(...page.items);
    after = Number(page.nextCursor ?? 5);
  }
  expect(pages).toEqual(whole.items);
  expect((await findRunPage(database.db, run.runId, new Date()))?.counts.events).toBe(5);
});

test("of a journal that was changed by hand the part that still verifies is shown, and how the run was stopped", async () => {
  const { db } = database;
  const run = await newRun();
  const { runId } = run;
  const call = aCall(run.stepId, { status: "pending_approval" });
  await makeChanges(db, runId, () => [turnRecordedAt(at, run.stepId, { calls: [call], approvals: [aQuestion(call)] })]);
  await addTurn(run, 1);
  await addTurn(run, 2);
  await withOpenJournal(
    db,
    (tx) => tx.$executeRaw`UPDATE journal SET data = replace(data, '"durationMs":1', '"durationMs":7')
    WHERE run_id = ${runId} AND seq = 3`,
  );
  const line = await openCountingLine(database.url);
  const changed = await readRun(line.db, runId);
  expect([changed?.isWhole, changed?.snapshot.calls.size, changed?.snapshot.turns.size]).toEqual([false, 1, 0]);
  await stopChangedRun(line.db, new RecordChanged(runId, "row 3 of its journal holds other data"), new Date());
  const page = await findRunPage(line.db, runId, new Date());
  expect(page).toMatchObject({ status: "failed", error: { code: "record_changed" }, completedAt: expect.any(Date) });
  expect(page?.counts).toMatchObject({ approvals: 1, pendingApprovals: 0 });
  expect((await listRunEvents(line.db, runId)).items.at(-1)).toMatchObject({ type: "run.failed" });
  await line.close();
});

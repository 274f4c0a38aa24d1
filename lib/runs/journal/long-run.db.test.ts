/** A long run is resumed from its last snapshot: how much is read, and what is detected. */
import { beforeAll, expect, test } from "vitest";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { auditKeys } from "@/lib/database/audit-keys";
import { useDatabase } from "@/lib/testing/database";
import { aCall, aRun, aStep, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import { openCountingLine } from "@/lib/testing/counting-line";
import { withOpenJournal } from "@/lib/testing/open-journal";
import { keepTestVersion, writeRuns } from "@/lib/testing/write-runs";
import type { RunChange } from "@/lib/runs/changes/registry";
import { changeRun } from "@/lib/runs/journal/change-run";
import { claimRun } from "@/lib/runs/journal/claim-run";
import { eventsOfBody, linkEntry } from "@/lib/runs/journal/entry";
import { keepSnapshot } from "@/lib/runs/journal/kept-snapshot";
import { getOpenRun, readRunToGoOn } from "@/lib/runs/journal/open-run";
import { RunWriter } from "@/lib/runs/journal/run-writer";

const database = useDatabase();
const NOW = new Date("2026-11-17T10:00:00.000Z");
const at = NOW.toISOString();
const TURNS_PER_STEP = 20;
const CLAIMER = { owner: "w1", leaseMs: 5_000 };

beforeAll(() => keepTestVersion(database.db));

/** One call per turn, this many turns per step, and the last step still in progress. */
async function writeLongRun(turns: number): Promise<{ runId: string; callId: string }> {
  const steps = Array.from({ length: Math.ceil(turns / TURNS_PER_STEP) }, (_, n) => aStep({ key: `step-${n}` }));
  const run = aRun({ steps });
  const commits = steps.flatMap(({ id: stepId, key }, place) => {
    const move = (to: "running" | "complete"): RunChange[] => [{ kind: "step_moved", at, move: { stepId, key, to } }];
    const made = Array.from({ length: TURNS_PER_STEP }, (_, n) => turnOf(stepId, n + 1));
    return [move("running"), ...made.flat(), ...(place < steps.length - 1 ? [move("complete")] : [])];
  });
  const callId = commits.flat().findLast((each) => each.kind === "call_ended")?.callId ?? "";
  await writeRuns(database.db, [{ run, at: NOW, commits, wakeAt: NOW }]);
  return { runId: run.id, callId };
}

function turnOf(stepId: string, number: number): RunChange[][] {
  const turn = aTurn(stepId, { number, response: { text: "x".repeat(200) } });
  const call = aCall(stepId, { turnId: turn.id });
  const { id: callId, digest } = call;
  const ended = { status: "succeeded", result: "y".repeat(200), error: null, durationMs: 1, refundUsd: 0 } as const;
  return [
    [turnRecordedAt(at, stepId, { turn, calls: [call] })],
    [{ kind: "call_executing", at, callId, digest, epoch: 1, warnsOfBudget: false }],
    [{ kind: "call_ended", at, callId, ...ended }],
  ];
}

const lengthOf = async (runId: string) => {
  const [row] = await database.db.$queryRaw<{ all: number; snapshots: number }[]>`
    SELECT sum(length(body) + length(data))::int AS all, sum(length(data::json ->> 'snapshot'))::int AS snapshots
    FROM journal WHERE run_id = ${runId}`;
  return row!;
};

test("a run that was resumed from a snapshot continues like any other, and its journal verifies", async () => {
  const { runId } = await writeLongRun(60);
  const claimed = await claimRun(database.db, { id: runId, leaseOwner: null }, CLAIMER, NOW);
  expect(claimed?.run.isPart).toBe(true);
  const { seq } = claimed!.run.head;
  const writer = new RunWriter(database.db, claimed!.run, claimed!.lease, { onNews: () => undefined });
  for (let n = 0; n < 150; n += 1) await writer.now({ kind: "server_missed", at, server: `s${n}`, message: "" });
  const whole = await getOpenRun(database.db, runId);
  expect(whole.isPart).toBeUndefined();
  expect(keepSnapshot(writer.run.snapshot)).toEqual(keepSnapshot(whole.snapshot));
  expect(writer.run.pace).toEqual(whole.pace);
  expect(whole.pace!.from).toBeGreaterThan(seq);
  const { findings } = await verifyAudit({ db: database.db, now: () => NOW });
  expect(findings.filter(({ row }) => row.startsWith(runId))).toEqual([]);
});

test("questions about something that has ended are answered from the whole journal", async () => {
  const { runId } = await writeLongRun(60);
  const { snapshot } = await getOpenRun(database.db, runId);
  const [ended] = snapshot.calls.keys();
  const seen: boolean[] = [];
  const build = ({ snapshot: { calls } }: { snapshot: typeof snapshot }) => {
    seen.push(calls.has(ended!));
    if (!calls.has(ended!)) throw new Error("no such call");
    return null;
  };
  expect(await changeRun(database.db, runId, { build, at: NOW })).toEqual({ kind: "nothing" });
  expect(seen).toEqual([false, true]);
});

const LAST = "seq = (SELECT max(seq) FROM journal j WHERE j.run_id = journal.run_id)";
const CARRIES = `data LIKE '%"snapshot":%'`;

test.each([
  ["the snapshot", `data = replace(data, '"workflow":"main"', '"workflow":"other"') WHERE ${CARRIES}`],
  ["the name of the row that has it", `data = replace(data, '{"from":', '{"from":1') WHERE ${LAST}`],
  ["a row after it", `data = replace(data, 'yyy', 'zzz') WHERE ${LAST}`],
  ["the seal of its row", `mac = decode(repeat('00', 32), 'hex') WHERE ${CARRIES}`],
])("a run of which somebody changed %s is not taken up, and the verification names it", async (_what, change) => {
  const { runId } = await writeLongRun(60);
  await withOpenJournal(database.db, (tx) =>
    tx.$executeRawUnsafe(`UPDATE journal SET ${change} AND run_id = '${runId}'`),
  );
  await expect(claimRun(database.db, { id: runId, leaseOwner: null }, CLAIMER, NOW)).rejects.toThrow(
    /The record of run .* was changed in the database/,
  );
  const { findings } = await verifyAudit({ db: database.db, now: () => NOW });
  expect(findings.some(({ row }) => row.startsWith(`${runId} row`))).toBe(true);
});

test("a snapshot that Kimitsu sealed and that does not match its rows is named by verification", async () => {
  const { runId } = await writeLongRun(60);
  const rows = await database.db.journal.findMany({ where: { runId }, orderBy: { seq: "asc" } });
  const place = rows.findIndex(({ data }) => data?.includes('"snapshot":'));
  const [before, row] = [rows[place - 1]!, rows[place]!];
  const data = row.data!.replace('"status":"complete"', '"status":"failed"');
  expect(data).not.toBe(row.data);
  const head = { seq: before.seq, hash: Buffer.from(before.hash) };
  const entry = linkEntry(head, { chain: runId, at, events: eventsOfBody(row.body), data }, auditKeys()[0]);
  await withOpenJournal(
    database.db,
    (
      tx,
    ) => tx.$executeRaw`UPDATE journal SET data = ${data}, body = ${entry.body}, mac = ${entry.mac}, hash = ${entry.hash}
      WHERE run_id = ${runId} AND seq = ${row.seq}`,
  );
  const { findings } = await verifyAudit({ db: database.db, now: () => NOW });
  expect(findings.map(({ row: name, problem }) => `${name}: ${problem}`)).toContain(
    `${runId} row ${row.seq}: the snapshot that it carries is not what the rows up to it tell`,
  );
});

// The last one, because the others verify all runs.
test("what is read to resume a run does not grow with what has ended in it, and what is written grows evenly", async () => {
  const line = await openCountingLine(database.url);
  const read: number[] = [];
  for (const turns of [200, 1_000]) {
    const { runId } = await writeLongRun(turns);
    await readRunToGoOn(line.db, runId);
    read.push(await line.during(() => readRunToGoOn(line.db, runId)));
    const { all, snapshots } = await lengthOf(runId);
    expect(snapshots).toBeGreaterThan(0);
    expect(all).toBeLessThan(3 * (all - snapshots));
  }
  await line.close();
  expect(read[1]).toBeLessThan(read[0]! * 1.5);
});

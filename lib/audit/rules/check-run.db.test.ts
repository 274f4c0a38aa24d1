import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { streamRunRecords } from "@/lib/audit/queries/stream-run-records";
import { checkRun, type RunRecord } from "@/lib/audit/rules/check-run";
import type { RunCopies } from "@/lib/audit/rules/compare-run";
import { nothingRetained } from "@/lib/audit/rules/retained";
import { auditKeys } from "@/lib/database/audit-keys";
import { eventsOfBody } from "@/lib/runs/journal/entry";
import { foldRun } from "@/lib/runs/journal/fold";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { startJournalRun } from "@/lib/testing/journal-run";

const database = useDatabase();

/** A run that asked, was approved, sent its call and ended. */
async function endedRun(): Promise<RunRecord> {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  const { callId, approvalId } = await run.ask();
  await run.decide(approvalId, (await buildUser(deps, "reviewer")).actor);
  await run.finish(callId);
  for await (const record of streamRunRecords(database.db)) if (record.id === run.id) return record;
  throw new Error("the run is not read");
}

/** The run's row and approvals are those of the database; the projections are made from the fold, up to a row. */
function projectedTo(record: RunRecord, seq: number): RunRecord {
  const entries = record.entries.slice(0, seq);
  const { steps, turns, calls, approvals } = foldRun(record.id, entries, auditKeys()).snapshot;
  const decisions = [...approvals.values()].flatMap(({ id: approvalId, decisions: own }) =>
    own.map(({ token, at, ...decision }) => ({ ...decision, approvalId, tokenId: token?.id ?? null, createdAt: at })),
  );
  const events = entries.flatMap(({ seq: place, body }) =>
    eventsOfBody(body).map(({ actor: { kind, id, name }, ...event }, at) => {
      const actor = { actorKind: kind, actorId: id, actorName: name };
      return { ...event, ...actor, chainId: record.id, seq: place, place: at };
    }),
  );
  const rows = {
    steps: [...steps.values()],
    turns: [...turns.values()].flat(),
    calls: [...calls.values()],
    decisions,
    events,
  };
  const { run, approvals: asked } = record.copies;
  const guarded = { run: run && { ...run }, approvals: asked.map((row) => ({ ...row })) };
  return { ...record, copies: { ...guarded, ...rows, projected: seq } };
}

const problemsOf = (record: RunRecord) =>
  checkRun(record, auditKeys(), nothingRetained()).map(({ row, problem }) => `${row}: ${problem}`);

test("a run whose copies match its journal has no finding, however far it is projected", async () => {
  const record = await endedRun();
  for (let seq = 0; seq <= record.entries.length; seq += 1)
    expect(problemsOf(projectedTo(record, seq)), `row ${seq}`).toEqual([]);
});

/** Columns that never change in a projection, or are not the run's own. */
const NOT_COMPARED = [
  "id",
  "runId",
  "updatedAt",
  "wakeAt",
  "leaseOwner",
  "leaseUntil",
  "epoch",
  "clientKey",
  "userName",
  "approval",
  "decisions",
];
const KINDS = ["run", "approvals", "steps", "turns", "calls", "decisions", "events"] as const;

test(
  verifies("audit:rows-against-seals", "every column of every copy, changed by hand, is named with its row"),
  async () => {
    const ended = await endedRun();
    const whole = projectedTo(ended, ended.entries.length);
    const rowOf = (copies: RunCopies, kind: (typeof KINDS)[number]) =>
      (kind === "run" ? copies.run : copies[kind].at(-1)) as unknown as Record<string, unknown> & { id: string };
    const tried: string[] = [];
    for (const kind of KINDS) {
      for (const column of Object.keys(rowOf(whole.copies, kind))) {
        if (NOT_COMPARED.includes(column) && !(column === "epoch" && kind === "calls")) continue;
        const record = projectedTo(ended, ended.entries.length);
        const row = rowOf(record.copies, kind);
        row[column] = changed(row[column]);
        const named = problemsOf(record);
        expect(named, `${kind}.${column}`).not.toEqual([]);
        const label = kind === "run" ? "run" : row.id;
        expect(
          named.some((text) => text.startsWith(label) || text.startsWith("run: its journal ends")),
          `${kind}.${column}: ${named[0]}`,
        ).toBe(true);
        tried.push(`${kind}.${column}`);
      }
    }
    expect(tried.length).toBeGreaterThan(100);
  },
);

function changed(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") return `${value}x`;
  if (value instanceof Date) return new Date(value.getTime() + 1);
  if (value instanceof Uint8Array) return new Uint8Array(value).fill(0);
  if (Array.isArray(value)) return [...(value as unknown[]), "more"];
  return { made: "up" };
}

test("a row that was removed or made up is named", async () => {
  const ended = await endedRun();
  for (const kind of ["approvals", "steps", "turns", "calls", "decisions", "events"] as const) {
    const record = projectedTo(ended, ended.entries.length);
    const last = record.copies[kind].pop();
    expect(problemsOf(record), kind).toEqual([
      expect.stringMatching(new RegExp(`^${last!.id}: the row of this \\w+ is gone`)),
    ]);
    (record.copies[kind] as object[]).push(last!, { ...last, id: "made_up" });
    expect(problemsOf(record), kind).toEqual([
      expect.stringMatching(/^made_up: (no event tells|the journal has no such event)/),
    ]);
  }
});

test("projections with more than the journal are named", async () => {
  const record = await endedRun();
  const last = record.entries.length;
  const beyond = { ...record, copies: { ...projectedTo(record, last).copies, projected: last + 1 } };
  expect(problemsOf(beyond)).toContain(
    `run: its projections tell of row ${last + 1}, and its journal ends at row ${last}`,
  );
});

/**
 * Writes many runs at once, as changes made one after the other would leave them: the rows, the questions and a journal
 * that verifies. For what the engine cannot do, such as runs in the past, or thousands of them.
 */
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { createRun, emptySnapshot, type NewRun } from "@/lib/runs/changes/run-created";
import { linkChanges } from "@/lib/runs/journal/commit";
import { type Entry, NO_HEAD } from "@/lib/runs/journal/entry";
import { type Folded, moveHead } from "@/lib/runs/journal/fold";
import { NO_PACE } from "@/lib/runs/journal/pace";
import { TEST_HASH } from "@/lib/testing/changes";
import type { ApprovalRow, RunSnapshot } from "@/lib/runs/snapshot";

const BATCH = 500;

/** Some changes depend on the current run. */
export type MadeChange = RunChange | ((snapshot: RunSnapshot) => RunChange);

export interface SeededRun {
  run: NewRun;
  at: Date;
  /** Each list is one row of the journal, after the one by which the run begins. */
  commits?: readonly (readonly MadeChange[])[];
  wakeAt?: Date | null;
}

export async function keepTestVersion(db: Db): Promise<void> {
  const data = { hash: TEST_HASH, content: Buffer.from("") };
  // Two tests may be the first at the same time.
  await db.projectVersion.createMany({ data: [data], skipDuplicates: true });
}

export async function writeRuns(db: Db, seeded: readonly SeededRun[]): Promise<void> {
  const runs = seeded.map(linkSeeded);
  const approvals = runs.flatMap(({ snapshot: { run, approvals: rows } }) =>
    [...rows.values()].map((row) => toApprovalData(run.id, row)),
  );
  const entries = runs.flatMap((run) => run.entries.map(toJournalData));
  for (const [table, rows] of Object.entries({
    runs: runs.map(toRunData),
    approvals,
    journal: entries,
  }))
    for (let from = 0; from < rows.length; from += BATCH) await insertRows(db, table, rows.slice(from, from + BATCH));
}

/** As one statement with one value: Prisma's own way would take minutes for a million rows. */
async function insertRows(db: Pick<Db, "$queryRaw">, table: string, rows: readonly object[]): Promise<void> {
  const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const named = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [toSnake(name), value])),
  );
  const columns = Prisma.raw(Object.keys(named[0] ?? {}).join(", "));
  await db.$queryRaw`INSERT INTO ${Prisma.raw(table)} (${columns}) SELECT ${columns}
    FROM jsonb_populate_recordset(NULL::${Prisma.raw(table)}, ${JSON.stringify(named)}::jsonb)`;
}

interface Linked extends Folded {
  entries: Entry[];
  of: SeededRun;
}

function linkSeeded(of: SeededRun): Linked {
  const { run, at, commits = [] } = of;
  const seeded: Linked = { snapshot: emptySnapshot(run.id), head: NO_HEAD, pace: NO_PACE, entries: [], of };
  for (const changes of [[createRun(run, at.toISOString())], ...commits]) append(seeded, changes);
  return seeded;
}

function append(seeded: Linked, made: readonly MadeChange[]): void {
  const { run } = seeded.snapshot;
  const changes = made.map((each) => {
    const change = typeof each === "function" ? each(seeded.snapshot) : each;
    applyChange(seeded.snapshot, change);
    return change;
  });
  // Never before the run began, whatever its parts say: its journal is looked for from there on.
  const at = [run.createdAt, ...changes.map((change) => change.at)].toSorted().at(-1) ?? run.createdAt;
  const entry = linkChanges({ run: seeded, changes, at: new Date(at) });
  if (!entry) return;
  seeded.entries.push(entry);
  moveHead(seeded, entry);
}

const bytes = (value: Uint8Array): string => `\\x${Buffer.from(value).toString("hex")}`;

function toRunData({ snapshot: { run }, head, of }: Linked): object {
  const { startedBy, starterIds: _, unreachable: __, isClaimAnnounced: ___, ...row } = run;
  const {
    wakeAt = null,
    run: { secrets },
  } = of;
  return {
    ...row,
    startedByKind: startedBy.kind,
    startedById: startedBy.id,
    startedByName: startedBy.name,
    wakeAt,
    seq: head.seq,
    head: bytes(head.hash),
    epoch: 0,
    secrets: run.completedAt === null && secrets !== null ? bytes(secrets) : null,
  };
}

function toApprovalData(runId: string, approval: ApprovalRow): object {
  const { decisions, reason: _, edited: __, ...row } = approval;
  return { ...row, runId, deciders: decisions.map(({ userId }) => userId) };
}

const toJournalData = ({ chain, seq, at, body, mac, hash, data }: Entry): object => ({
  runId: chain,
  seq,
  at,
  body,
  mac: bytes(mac),
  hash: bytes(hash),
  data,
});

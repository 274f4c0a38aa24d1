/** Folds the rows of a journal into the run's state. A row that is not what was sealed is never used. */
import type { AuditKey } from "@/lib/audit/rules/audit-event";
import type { RunFacts } from "@/lib/runs/changes/change";
import { RowEvents } from "@/lib/runs/changes/row-events";
import { emptySnapshot } from "@/lib/runs/changes/run-created";
import { applyChange, type KeptChange, openChange, type RunChange } from "@/lib/runs/changes/registry";
import {
  type Entry,
  type EntryProblem,
  eventsOfBody,
  findEntryProblem,
  type Head,
  NO_HEAD,
} from "@/lib/runs/journal/entry";
import { type KeptSnapshot, openSnapshot } from "@/lib/runs/journal/kept-snapshot";
import { NO_PACE, type Pace, paceAfter } from "@/lib/runs/journal/pace";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/** The record of a run is not what Kimitsu wrote. Nothing is done on the basis of it. */
export class RecordChanged extends Error {
  override readonly name = "RecordChanged";
  constructor(
    readonly runId: string,
    readonly problem: string,
  ) {
    super(`The record of run ${runId} was changed in the database: ${problem}.`);
  }
}

const PROBLEMS: Record<EntryProblem, string> = {
  unknown_key: "is sealed with a key that this process does not have",
  forged: "was not sealed by Kimitsu",
  data_changed: "holds other data than was sealed",
  out_of_place: "is not at its place",
  chain_broken: "does not follow upon the row before it",
};

export interface Folded {
  snapshot: RunSnapshot;
  head: Head;
  /** Omitted when nobody will write to it. */
  pace?: Pace;
  /** Set when it was folded from a snapshot: what had ended before is not in it. */
  isPart?: true;
}

export interface EntryData {
  /** The row with the last snapshot, which may be this one. */
  from?: number;
  changes: KeptChange[];
  /** The run after these changes. */
  snapshot?: KeptSnapshot;
}

export function foldRun(runId: string, entries: readonly Entry[], keys: readonly AuditKey[]): Folded {
  const folded = { snapshot: emptySnapshot(runId), head: NO_HEAD, pace: NO_PACE };
  foldOn(folded, entries, keys);
  return folded;
}

/**
 * Folds from a row with a snapshot, which is the first one. Its seal covers its position and the snapshot, and each
 * later row is chained to it; `kimitsu audit verify` checks that nothing before it was removed. Null when this process
 * does not know the snapshot's format.
 */
export function foldFromSnapshot(
  runId: string,
  [first, ...rest]: readonly Entry[],
  keys: readonly AuditKey[],
): Folded | null {
  if (!first) return null;
  const problem = findEntryProblem(first, null, keys);
  if (problem) throw changedRow(runId, first, problem);
  const kept = dataOf(first)?.snapshot;
  const snapshot = kept && openSnapshot(kept);
  if (!snapshot) return null;
  const head = { seq: first.seq, hash: first.hash };
  const folded: Folded = { snapshot, head, pace: paceAfter(NO_PACE, first), isPart: true };
  foldOn(folded, rest, keys);
  return folded;
}

/** Adds rows that were written since. Throws RecordChanged at the first bad one. */
export function foldOn(folded: Folded, entries: readonly Entry[], keys: readonly AuditKey[]): void {
  const runId = folded.snapshot.run.id;
  for (const entry of entries) {
    const problem = findEntryProblem(entry, folded.head, keys);
    if (problem) throw changedRow(runId, entry, problem);
    for (const change of changesOf(entry, folded.snapshot.run)) applyChange(folded.snapshot, change);
    moveHead(folded, entry);
  }
}

/** The row is on record, and its changes are in the snapshot. */
export function moveHead(folded: Folded, entry: Entry): void {
  folded.head = { seq: entry.seq, hash: entry.hash };
  if (folded.pace) folded.pace = paceAfter(folded.pace, entry);
}

const changedRow = (runId: string, { seq }: Entry, problem: EntryProblem) =>
  new RecordChanged(runId, `row ${seq} of its journal ${PROBLEMS[problem]}`);

const dataOf = ({ data }: Pick<Entry, "data">): EntryData | null =>
  data === null ? null : (JSON.parse(data) as EntryData);

/** With omitted values filled in. One by one, because the first change of a run contains what the later ones omit. */
export function* changesOf(entry: Pick<Entry, "at" | "body" | "data">, run: RunFacts): Generator<RunChange> {
  const events = new RowEvents(() => eventsOfBody(entry.body));
  for (const kept of dataOf(entry)?.changes ?? []) yield openChange(kept, { run, at: entry.at, events });
}

export const snapshotOf = (entry: Pick<Entry, "data">): KeptSnapshot | null => dataOf(entry)?.snapshot ?? null;

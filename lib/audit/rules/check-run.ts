/**
 * Reads the journal of one run from its first row to its last, and names whatever was changed, removed or inserted by
 * hand: in the journal, and in the rows that are copies of it. Pure: everything was read at one moment.
 */
import canonicalize from "canonicalize";
import { entryProblem } from "@/lib/audit/rules/audit-check";
import type { AuditKey } from "@/lib/audit/rules/audit-event";
import { found, type RowProblem } from "@/lib/audit/rules/compare-rows";
import { compareEvents, compareGuarded, compareProjected, type RunCopies } from "@/lib/audit/rules/compare-run";
import type { Retained } from "@/lib/audit/rules/retained";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { emptySnapshot } from "@/lib/runs/changes/run-created";
import { type Entry, type EntryEvent, eventsOfBody, type Head, NO_HEAD } from "@/lib/runs/journal/entry";
import { changesOf, snapshotOf } from "@/lib/runs/journal/fold";
import { keepSnapshot } from "@/lib/runs/journal/kept-snapshot";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface RunRecord {
  id: string;
  entries: Entry[];
  copies: RunCopies;
}

export type RunFinding = RowProblem & { at: string };

export function checkRun(record: RunRecord, keys: readonly AuditKey[], retained: Retained): RunFinding[] {
  const { id, entries, copies } = record;
  const at = entries[0]?.at ?? copies.run?.createdAt.toISOString() ?? "";
  if (entries.length === 0) {
    const problem = "no event tells of this run: its trail was removed, or it was written by hand";
    return [{ row: "run", problem, at }];
  }
  const reader = new RunReader(record, keys, retained.heads.get(id));
  for (const entry of entries) reader.read(entry);
  return [...reader.findings, ...reader.end(retained).map((problem) => ({ ...problem, at }))];
}

class RunReader {
  readonly findings: RunFinding[] = [];
  readonly #snapshot: RunSnapshot;
  /** False from the first bad row on: what that row did cannot be known. */
  #isWhole: boolean;
  #head: Head;

  constructor(
    private readonly record: RunRecord,
    private readonly keys: readonly AuditKey[],
    detached: Head | undefined,
  ) {
    this.#snapshot = emptySnapshot(record.id);
    this.#isWhole = detached === undefined;
    this.#head = detached ?? NO_HEAD;
    if (this.#isWhole) this.#compareProjected(record.entries[0]?.at ?? "");
  }

  read(entry: Entry): void {
    const { seq, at } = entry;
    const problem = entryProblem(entry, this.#head, this.keys);
    this.#head = { seq, hash: entry.hash };
    if (problem) {
      this.#isWhole = false;
      return void this.findings.push({ row: `row ${seq}`, problem, at });
    }
    const events = eventsOfBody(entry.body);
    this.findings.push(...events.flatMap(incidentOf).map((incident) => ({ ...incident, at })));
    if (!this.#isWhole) return;
    try {
      for (const change of changesOf(entry, this.#snapshot.run)) this.#apply(change);
      this.#compareSnapshot(entry);
      this.#compareProjected(at);
      if (entry.data === null) for (const event of events) applyStop(this.#snapshot, event);
    } catch (error) {
      this.#isWhole = false;
      const { message } = error as Error;
      this.findings.push({
        row: `row ${seq}`,
        problem: `what it changes does not fit what came before it: ${message}`,
        at,
      });
    }
  }

  end(retained: Retained): RowProblem[] {
    const { copies, entries } = this.record;
    const { run, events, projected } = copies;
    const seen = entries.filter(({ seq }) => seq <= projected);
    const last = entries.at(-1);
    const isBeyond = last !== undefined && projected > last.seq;
    return [
      ...(run ? this.#endOfRow(run) : this.#withoutRow(retained)),
      ...found(
        "run",
        isBeyond ? [`its projections tell of row ${projected}, and its journal ends at row ${last.seq}`] : [],
      ),
      ...(this.#isSealed() ? compareEvents(seen, events) : []),
    ];
  }

  #isSealed(): boolean {
    return this.findings.every(({ row }) => !row.startsWith("row "));
  }

  #endOfRow(run: NonNullable<RunCopies["run"]>): RowProblem[] {
    const { seq, hash } = this.#head;
    const isEnd = run.seq === seq && hash.equals(run.head);
    const end = isEnd ? [] : [`its journal ends at row ${seq}, and its row says ${run.seq}`];
    return [...found("run", end), ...(this.#isWhole ? compareGuarded(this.#snapshot, this.record.copies) : [])];
  }

  /** An ended run loses its row when its retention time is over, and the trail says up to when. */
  #withoutRow({ removedBefore }: Retained): RowProblem[] {
    const last = this.record.entries.at(-1);
    const isEnded = !this.#isWhole || isRunSettled(this.#snapshot.run.status);
    const isRemoved = isEnded && removedBefore !== null && last !== undefined && last.at < removedBefore;
    return isRemoved ? [] : found("run", ["its row is gone, and no event tells of its removal"]);
  }

  #apply(change: RunChange): void {
    const ungranted = change.kind === "call_executing" ? findUngranted(this.#snapshot, change) : null;
    if (ungranted)
      this.findings.push({
        row: change.kind === "call_executing" ? change.callId : "run",
        problem: ungranted,
        at: change.at,
      });
    applyChange(this.#snapshot, change);
  }

  /** A snapshot is sealed with its row, so only a defect of Kimitsu can make it differ. */
  #compareSnapshot(entry: Entry): void {
    const kept = snapshotOf(entry);
    if (!kept || canonicalize(kept) === canonicalize(keepSnapshot(this.#snapshot))) return;
    const problem = "the snapshot that it carries is not what the rows up to it tell";
    this.findings.push({ row: `row ${entry.seq}`, problem, at: entry.at });
  }

  #compareProjected(at: string): void {
    const { copies } = this.record;
    if (copies.projected !== this.#head.seq || !copies.run) return;
    this.findings.push(...compareProjected(this.#snapshot, copies).map((problem) => ({ ...problem, at })));
  }
}

/** Approvals and calls move only by the state tables; this checks that people agreed to exactly these arguments. */
function findUngranted(
  { calls }: RunSnapshot,
  { callId, digest }: Extract<RunChange, { kind: "call_executing" }>,
): string | null {
  const call = calls.get(callId);
  const approval = call?.approval;
  if (!approval) return null;
  const agreed = approval.decisions.filter(
    (each) => each.verdict === "approved" && each.digest === approval.questionDigest,
  );
  const isGranted =
    approval.status === "approved" && approval.digest === digest && agreed.length >= approval.minApprovals;
  return isGranted
    ? null
    : "people were asked about it, and it was sent without an event by which they approved these arguments";
}

/** What was found at a decision or a call, and stopped it, remains a finding even if the rows were restored since. */
function incidentOf({ type, data }: EntryEvent): RowProblem[] {
  const stopped = (what: unknown) => `its record was changed by hand, which stopped it: ${String(what)}`;
  if (type === "run.failed" && data.code === "record_changed") return found("run", [stopped(data.message)]);
  const isIncident = type === "approval.mismatched" || (type === "call.denied" && data.why === "record_changed");
  return isIncident ? found(String(data.call_id), [stopped(data.problem)]) : [];
}

/** A run that was stopped because its record was changed ends by this event alone, together with its approvals. */
function applyStop({ run, approvals }: RunSnapshot, { type, data, at }: EntryEvent): void {
  if (type !== "run.failed" || isRunSettled(run.status)) return;
  const error = { code: String(data.code), message: String(data.message) };
  Object.assign(run, { status: "failed", error, completedAt: at });
  for (const approval of approvals.values()) {
    if (approval.status !== "pending") continue;
    Object.assign(approval, { status: "cancelled", decidedAt: at, version: approval.version + 1 });
  }
}

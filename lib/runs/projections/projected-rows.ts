/** The rows that a run's new journal rows add to the projections, with the values of the fold. Pure. */
import { changesOf } from "@/lib/runs/journal/fold";
import { type Entry, type EntryEvent, eventsOfBody } from "@/lib/runs/journal/entry";
import { approvalsOf } from "@/lib/runs/changes/registry";
import { Touched } from "@/lib/runs/projections/touched";
import type { CallRow, DecisionRow, RunSnapshot, StepRow, TurnRow } from "@/lib/runs/snapshot";

/** A journal row, and the transaction that wrote it. */
export interface StoredEntry extends Entry {
  tx: string;
}

/** What to write search rows for, from other tables. */
export interface Searched {
  /** Runs whose journal is projected from its first row on. */
  begun: string[];
  /** Approvals that were asked for, or have changed. */
  asked: string[];
}

/** Named like the columns of the statement that writes them. */
export interface ProjectedRows extends Searched {
  steps: (StepRow & { runId: string })[];
  turns: (TurnRow & { runId: string })[];
  calls: (Omit<CallRow, "approval"> & { runId: string })[];
  decisions: (Omit<DecisionRow, "userName" | "token"> & { approvalId: string; tokenId: string | null })[];
  events: (EntryEvent & { chainId: string; seq: number; place: number; tx: string })[];
  /** How far each chain has come. */
  chains: { id: string; seq: number }[];
}

const noRows = (): ProjectedRows => ({
  steps: [],
  turns: [],
  calls: [],
  decisions: [],
  events: [],
  begun: [],
  asked: [],
  chains: [],
});

/** `entries` are the new rows; the snapshot already has their changes. */
export function rowsOfRun(snapshot: RunSnapshot, entries: readonly StoredEntry[]): ProjectedRows {
  const rows = rowsOfChain(entries);
  const touched = new Touched();
  const changes = entries.flatMap((entry) => [...changesOf(entry, snapshot.run)]);
  for (const change of changes) touched.add(snapshot, change);
  const { id: runId } = snapshot.run;
  for (const id of touched.steps) rows.steps.push({ ...found(snapshot.steps.get(id), id), runId });
  for (const [id, stepId] of touched.turns) {
    const turn = snapshot.turns.get(stepId)?.findLast((each) => each.id === id);
    rows.turns.push({ ...found(turn, id), runId });
  }
  for (const id of touched.calls) {
    const { approval: _, ...call } = found(snapshot.calls.get(id), id);
    rows.calls.push({ ...call, runId });
  }
  for (const [id, approvalId] of touched.decisions) {
    const decision = snapshot.approvals.get(approvalId)?.decisions.find((each) => each.id === id);
    const { userName: _, token, ...row } = found(decision, id);
    rows.decisions.push({ ...row, approvalId, tokenId: token?.id ?? null });
  }
  rows.asked = [...new Set(changes.flatMap(approvalsOf))];
  return rows;
}

/** What every chain has: its events. */
export function rowsOfChain(entries: readonly StoredEntry[]): ProjectedRows {
  const rows = noRows();
  for (const { chain, seq, body, tx } of entries) {
    rows.events.push(...eventsOfBody(body).map((event, place) => ({ ...event, chainId: chain, seq, place, tx })));
  }
  if (entries[0]?.seq === 1) rows.begun.push(entries[0].chain);
  const last = entries.at(-1);
  if (last) rows.chains.push({ id: last.chain, seq: last.seq });
  return rows;
}

export function joinRows(all: readonly ProjectedRows[]): ProjectedRows {
  const join = <Name extends keyof ProjectedRows>(name: Name) => all.flatMap((rows) => rows[name] as never[]);
  return {
    steps: join("steps"),
    turns: join("turns"),
    calls: join("calls"),
    decisions: join("decisions"),
    events: join("events"),
    begun: join("begun"),
    asked: join("asked"),
    chains: join("chains"),
  };
}

/** A fold that has a change also has the change's subject. */
function found<Row>(row: Row | undefined, id: string): Row {
  if (!row) throw new Error(`unreachable: a change of ${id}, which is not in the fold`);
  return row;
}

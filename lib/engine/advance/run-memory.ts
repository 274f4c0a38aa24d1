/**
 * What a worker knows of the run that it advances. It is filled from the rows, follows its own commits, and is refreshed when
 * something outside woke the run; between commits it is never ahead of the database.
 */
import type { CallStatus } from "@/lib/domain/call-state";
import type { Lease, LeaseOutcome } from "@/lib/store/lease-sql";
import type { CallRow, RunRow, RunSnapshot, StepRow, TurnRow } from "@/lib/store/queries/load-run";

/** Thrown to unwind everything that is under way; `advanceRun` turns it into the value `lost`. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export class RunMemory {
  readonly run: RunRow;
  readonly steps: Map<string, StepRow>;
  readonly turns: Map<string, TurnRow[]>;
  readonly calls: Map<string, CallRow>;
  /** The wake-ups whose effects are known here. */
  seenWakes: number;
  /** Set when a step has failed: what is under way may end, nothing new begins. */
  failing = false;
  #changed = Promise.withResolvers<void>();

  constructor(
    readonly lease: Lease,
    snapshot: RunSnapshot,
  ) {
    this.run = snapshot.run;
    this.seenWakes = snapshot.run.wakes;
    this.steps = new Map(snapshot.steps.map((step) => [step.id, step]));
    this.calls = new Map(snapshot.calls.map((call) => [call.id, call]));
    this.turns = new Map();
    for (const turn of snapshot.turns) this.addTurn(turn);
  }

  /** Resolves when something changed from outside since it was asked for. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  refresh(fresh: { wakes: number; steps: StepRow[]; calls: CallRow[] }): void {
    this.seenWakes = fresh.wakes;
    for (const step of fresh.steps) this.steps.set(step.id, step);
    for (const call of fresh.calls) this.calls.set(call.id, call);
    this.signal();
  }

  signal(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  addTurn(turn: TurnRow): void {
    const list = this.turns.get(turn.stepId) ?? [];
    list.push(turn);
    this.turns.set(turn.stepId, list);
  }

  turnsOf(stepId: string): TurnRow[] {
    return this.turns.get(stepId) ?? [];
  }

  callsOfTurn(turnId: string): CallRow[] {
    return [...this.calls.values()].filter((call) => call.turnId === turnId);
  }

  childrenOf(parentId: string | null): StepRow[] {
    return [...this.steps.values()].filter((step) => step.parentId === parentId);
  }

  setCall(callId: string, change: Partial<CallRow> & { status: CallStatus }): void {
    const call = this.calls.get(callId);
    if (!call) throw new Error(`unreachable: call ${callId} is not part of this run`);
    this.calls.set(callId, { ...call, ...change });
  }

  setStep(stepId: string, change: Partial<StepRow>): void {
    const step = this.steps.get(stepId);
    if (!step) throw new Error(`unreachable: step ${stepId} is not part of this run`);
    this.steps.set(stepId, { ...step, ...change });
  }
}

/** Every write under the lease passes here: when it was refused, the worker must not write again. */
export function held(outcome: LeaseOutcome): void {
  if (outcome.kind === "lost") throw new LeaseLost("another process has this run now");
}

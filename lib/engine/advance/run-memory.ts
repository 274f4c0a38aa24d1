/**
 * What a worker knows of the run that it advances. It is filled from the rows, follows its own commits, and is refreshed when
 * something outside woke the run. It is ahead of the database only by what can be found again after a crash: that a step has begun
 * (step-starts.ts), and the end of the last one, which follows from its turns.
 */
import { AGENTS_SERVER, type CallStatus } from "@/lib/domain/call-state";
import { isStepSettled, type StepStatus } from "@/lib/domain/step-state";
import type { LeftOpen } from "@/lib/store/left-open-sql";
import type { Lease, LeaseOutcome } from "@/lib/store/lease-sql";
import type { StepMove } from "@/lib/store/transitions/settle-step";
import type { CallRow, RunRow, RunSnapshot, StepRow, TurnRow } from "@/lib/store/queries/load-run";

/** Thrown to unwind everything that is under way; `advanceRun` turns it into the value `lost`. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** What others have written, and how many wake-ups that includes at least. */
export interface FreshRows {
  wakes: number;
  steps: StepRow[];
  calls: CallRow[];
}

/** Only people and timers move a row out of these; out of all others only the holder of the lease does. */
const WAITING_CALLS: readonly CallStatus[] = ["pending_approval", "outcome_unknown"];
const OPEN_CALLS: readonly CallStatus[] = ["requested", "approved", "pending_approval", "outcome_unknown"];
const WAITING_STEPS: readonly StepStatus[] = ["pending_approval", "needs_human_review"];

export class RunMemory {
  readonly run: RunRow;
  readonly steps: Map<string, StepRow>;
  readonly turns: Map<string, TurnRow[]>;
  readonly calls: Map<string, CallRow>;
  /** The wake-ups whose effects are known here. */
  seenWakes: number;
  /** Set when a step has failed: what is under way may end, nothing new begins. */
  failing = false;
  /** Set when a row began to wait after rows were last read: what was read may be newer than what was written here. */
  isBehind = false;
  /** The end of a step that is to be written with the end of the run. */
  lastMove: StepMove | null = null;
  /** Set when the run was parked with the turn that asked people: this worker has it no more. */
  isParked = false;
  /** Servers without which the run goes on, and of which its trail says so. */
  readonly toldUnreachable = new Set<string>();
  /** Turns whose money is set aside; each resolves when what is left of it is free again. */
  readonly reservations = new Set<Promise<void>>();
  /** The newest attempt to set money aside; the next one follows it. */
  reserving: Promise<unknown> = Promise.resolve();
  /** What the models have cost; the rest of the run's cost is that of its tools. */
  #turnsUsd = 0;
  #changed = Promise.withResolvers<void>();
  #moves = 0;
  readonly #movedAt = new Map<string, number>();
  #hasCaughtUp = false;
  #reading: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

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

  /** Reads what others have changed. One read runs and at most one more waits: whoever asks meanwhile is served by that one. */
  catchUp(read: () => Promise<FreshRows>): Promise<void> {
    this.#queued ??= this.#reading.then(() => {
      this.#queued = null;
      const reading = this.#catchUp(read);
      this.#reading = reading.catch(() => undefined);
      return reading;
    });
    return this.#queued;
  }

  async #catchUp(read: () => Promise<FreshRows>): Promise<void> {
    for (;;) {
      const since = this.#moves;
      const fresh = await read();
      const isMissed = [
        ...fresh.steps.map((row) => this.#place(this.steps, row, since, WAITING_STEPS)),
        ...fresh.calls.map((row) => this.#place(this.calls, row, since, WAITING_CALLS)),
      ].includes(false);
      if (isMissed) continue;
      this.seenWakes = fresh.wakes;
      this.#hasCaughtUp = true;
      this.isBehind = false;
      return this.signal();
    }
  }

  /** A row that this worker moved during the read is newer here. False when others could have moved it since, so that it must be read again. */
  #place<Row extends { id: string; status: string }>(rows: Map<string, Row>, row: Row, since: number, waiting: readonly string[]): boolean {
    if ((this.#movedAt.get(row.id) ?? 0) <= since) {
      rows.set(row.id, row);
      return true;
    }
    return !waiting.includes(rows.get(row.id)?.status ?? "");
  }

  #moved(id: string, begins: boolean): void {
    this.#movedAt.set(id, ++this.#moves);
    if (begins && this.#hasCaughtUp) this.isBehind = true;
  }

  /** Calls that an earlier holder of the run had begun and that must not be made twice: nobody here knows what became of them. */
  leftExecuting(): CallRow[] {
    return [...this.calls.values()].filter(({ status, epoch, retrySafe }) => status === "executing" && (epoch ?? 0) < this.lease.epoch && !retrySafe);
  }

  /** What the end of the run would end with it. An outcome that is unknown here may be settled by a person in this moment, and the call be open again. */
  leftOpen(): LeftOpen {
    const calls = [...this.calls.values()].filter(({ status, server }) => OPEN_CALLS.includes(status) || (status === "executing" && server === AGENTS_SERVER));
    const approvals = calls.flatMap(({ id, status, approval }) => (status === "pending_approval" && approval ? [{ id: approval.id, callId: id }] : []));
    return { steps: [...this.steps.values()].filter(({ status }) => !isStepSettled(status)), calls, approvals };
  }

  signal(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  addTurn(turn: TurnRow): void {
    this.#turnsUsd += turn.costUsd;
    const list = this.turns.get(turn.stepId) ?? [];
    list.push(turn);
    this.turns.set(turn.stepId, list);
  }

  turnsOf(stepId: string): TurnRow[] {
    return this.turns.get(stepId) ?? [];
  }

  get toolsUsd(): number {
    return Math.max(0, this.run.costUsd - this.#turnsUsd);
  }

  callsOfTurn(turnId: string): CallRow[] {
    return [...this.calls.values()].filter((call) => call.turnId === turnId);
  }

  childrenOf(parentId: string | null): StepRow[] {
    return [...this.steps.values()].filter((step) => step.parentId === parentId);
  }

  addCall(call: CallRow): void {
    this.calls.set(call.id, call);
    this.#moved(call.id, WAITING_CALLS.includes(call.status));
  }

  setCall(callId: string, change: Partial<CallRow> & { status: CallStatus }): void {
    const call = this.calls.get(callId);
    if (!call) throw new Error(`unreachable: call ${callId} is not part of this run`);
    this.addCall({ ...call, ...change });
  }

  addStep(step: StepRow): void {
    this.steps.set(step.id, step);
    this.#moved(step.id, WAITING_STEPS.includes(step.status));
  }

  setStep(stepId: string, change: Partial<StepRow>): void {
    const step = this.steps.get(stepId);
    if (!step) throw new Error(`unreachable: step ${stepId} is not part of this run`);
    this.steps.set(stepId, { ...step, ...change });
    this.#moved(stepId, change.status !== undefined && WAITING_STEPS.includes(change.status));
  }
}

/** Every write under the lease passes here: when it was refused, the worker must not write again. */
export function held(outcome: LeaseOutcome): void {
  if (outcome.kind === "lost") throw new LeaseLost("another process has this run now");
}

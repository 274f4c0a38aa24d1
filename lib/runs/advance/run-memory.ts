/**
 * What a worker knows of the run that it advances: the fold of its journal, ahead of the database only by the changes
 * that the writer has not committed yet. The writer adds changes of others.
 */
import type { Lease } from "@/lib/runs/journal/commit";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import type { CallRow, RunRow, RunSnapshot, StepRow, TurnRow } from "@/lib/runs/snapshot";

export class RunMemory {
  /** Set when a step has failed: what is in progress may end, nothing new begins. */
  failing = false;
  /** Set when the run was parked with the turn that asked people: this worker no longer has it. */
  isParked = false;
  /** How often others have changed the run since this worker claimed it. */
  news = 0;
  /** Money reserved for turns in progress; each resolves when its remainder is free again. */
  readonly reservations = new Map<Promise<void>, number>();
  /** The newest attempt to reserve money; the next one follows it. */
  reserving: Promise<unknown> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  /** Needed because a conversation reads the calls of each of its turns. */
  readonly #byTurn = new Map<string, CallRow[]>();
  #sorted = 0;

  constructor(
    readonly lease: Lease,
    private readonly open: OpenRun,
  ) {}

  get snapshot(): RunSnapshot {
    return this.open.snapshot;
  }

  get run(): RunRow {
    return this.open.snapshot.run;
  }

  get steps(): ReadonlyMap<string, StepRow> {
    return this.open.snapshot.steps;
  }

  get calls(): ReadonlyMap<string, CallRow> {
    return this.open.snapshot.calls;
  }

  openSecrets(): Record<string, string> {
    return this.open.openSecrets();
  }

  /** Resolves when something has changed from outside since it was read. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Others have changed the run. */
  signal(): void {
    this.news += 1;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  /**
   * Calls that an earlier holder of the run had begun and that must not be made twice: their outcome is unknown here.
   */
  leftExecuting(): CallRow[] {
    const isLeft = ({ status, epoch, retrySafe }: CallRow) =>
      status === "executing" && (epoch ?? 0) < this.lease.epoch && !retrySafe;
    return [...this.calls.values()].filter(isLeft);
  }

  turnsOf(stepId: string): TurnRow[] {
    return this.open.snapshot.turns.get(stepId) ?? [];
  }

  get hasTurns(): boolean {
    return this.run.llmCalls > 0;
  }

  /** What the tools have cost; the rest of the run's cost is that of its models. */
  get toolsUsd(): number {
    let modelsUsd = 0;
    for (const { costUsd } of this.steps.values()) modelsUsd += costUsd;
    return Math.max(0, this.run.costUsd - modelsUsd);
  }

  get reservedUsd(): number {
    return [...this.reservations.values()].reduce((sum, usd) => sum + usd, 0);
  }

  callsOfTurn(turnId: string): CallRow[] {
    // Calls are only added, so their number shows whether there are new ones.
    if (this.#sorted !== this.calls.size) this.#sortCalls();
    return [...(this.#byTurn.get(turnId) ?? [])];
  }

  #sortCalls(): void {
    this.#byTurn.clear();
    for (const call of this.calls.values()) {
      const calls = call.turnId === null ? undefined : this.#byTurn.get(call.turnId);
      if (calls) calls.push(call);
      else if (call.turnId !== null) this.#byTurn.set(call.turnId, [call]);
    }
    this.#sorted = this.calls.size;
  }

  childrenOf(parentId: string | null): StepRow[] {
    return [...this.steps.values()].filter((step) => step.parentId === parentId);
  }
}

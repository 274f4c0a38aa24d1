/**
 * Steps that have begun and are not on record as begun yet. The start is written with the step's first turn when that comes at once, which
 * saves a commit; a step that takes longer is shown as running meanwhile. Nothing outside happens before a turn is on record, so a crash in
 * between finds a step that never began.
 */
import type { StepMove } from "@/lib/store/transitions/settle-step";

/** So soon is a start on record by itself. */
const ALONE_AFTER_MS = 50;

interface Start {
  key: string;
  at: Date;
  timer: NodeJS.Timeout;
  /** Set when it is being written by itself. */
  written: Promise<void> | null;
}

export class StepStarts {
  readonly #open = new Map<string, Start>();

  constructor(private readonly write: (move: StepMove, at: Date) => Promise<void>) {}

  add(step: { id: string; key: string }, at: Date): void {
    const start: Start = { key: step.key, at, timer: setTimeout(() => this.#writeAlone(step.id, start), ALONE_AFTER_MS), written: null };
    this.#open.set(step.id, start);
  }

  /** The start, for the statement that will write it; null when it is on record. */
  async take(stepId: string): Promise<{ key: string; at: Date } | null> {
    const start = this.#open.get(stepId);
    if (!start) return null;
    clearTimeout(start.timer);
    if (start.written === null) this.#open.delete(stepId);
    return start.written === null ? start : start.written.then(() => null);
  }

  /** Puts on record what is not yet. */
  async writeAll(): Promise<void> {
    await Promise.all([...this.#open].map(([stepId, start]) => this.#writeAlone(stepId, start)));
  }

  /** Without a lease nothing is written any more. */
  drop(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }

  #writeAlone(stepId: string, start: Start): Promise<void> {
    clearTimeout(start.timer);
    start.written ??= this.write({ stepId, key: start.key, to: "running" }, start.at).then(() => void this.#open.delete(stepId));
    // Whoever comes next to write for this step gets the failure.
    start.written.catch(() => undefined);
    return start.written;
  }
}

/** Folded runs that will probably be needed again, so that a long run is not folded from the start for each new row. */
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { Folded } from "@/lib/runs/journal/fold";

/** Length of journal text, which is about the size of the folded runs in memory. */
const LENGTH_MAX = 16 * 1024 * 1024;

export interface Kept {
  folded: Folded;
  /** Length of what was folded into it. */
  length: number;
}

export class FoldCache {
  readonly #runs = new Map<string, Kept>();
  #length = 0;

  constructor(private readonly lengthMax = LENGTH_MAX) {}

  /** The last folded row of a run; 0 when it is not here, or is further than `seqMax`. */
  seqOf(runId: string, seqMax: number): number {
    const seq = this.#runs.get(runId)?.folded.head.seq ?? 0;
    return seq <= seqMax ? seq : 0;
  }

  /** Removes it; the caller folds further rows into it and puts it back. */
  take(runId: string): Kept | null {
    const kept = this.#runs.get(runId) ?? null;
    this.#length -= kept?.length ?? 0;
    this.#runs.delete(runId);
    return kept;
  }

  /** An ended run is not kept, because it hardly grows any more. */
  put(runId: string, kept: Kept): void {
    this.take(runId);
    if (isRunSettled(kept.folded.snapshot.run.status)) return;
    this.#runs.set(runId, kept);
    this.#length += kept.length;
    for (const [oldest] of this.#runs) {
      if (this.#length <= this.lengthMax) return;
      this.take(oldest);
    }
  }
}

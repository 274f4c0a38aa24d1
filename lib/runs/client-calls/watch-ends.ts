/**
 * Notices changes of the runs that requests of this process wait for, by one statement for all of them: five hundred
 * held requests ask the database no more often than one.
 */
import type { Db } from "@/lib/database/client";
import { PLAN_ONCE } from "@/lib/database/plan-anew";
import { log } from "@/lib/log";

const LOOK_EVERY_MS = 250;

type OnChange = () => void;

export class RunWatch {
  readonly #watched = new Map<string, { seq: number; listeners: Set<OnChange> }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly db: Pick<Db, "$queryRaw">) {}

  /** Calls back when the run has more journal rows than `seq`. Returns a function that stops it. */
  on(runId: string, seq: number, onChange: OnChange): () => void {
    const entry = this.#watched.get(runId) ?? { seq, listeners: new Set<OnChange>() };
    // The lowest that anyone has seen: another's news may be this one's too.
    entry.seq = Math.min(entry.seq, seq);
    entry.listeners.add(onChange);
    this.#watched.set(runId, entry);
    this.#schedule();
    return () => {
      entry.listeners.delete(onChange);
      if (entry.listeners.size === 0 && this.#watched.get(runId) === entry) this.#watched.delete(runId);
    };
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#watched.size === 0) return;
    this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      const ids = [...this.#watched.keys()];
      const rows = await this.db.$queryRaw<{ id: string; seq: number }[]>`${PLAN_ONCE}SELECT id, seq FROM runs
        WHERE id = ANY (${ids}::text[])`;
      for (const { id, seq } of rows) this.#tell(id, seq);
    } catch (error) {
      log.warn({ err: error }, "calls of clients could not be looked at; they are looked at again");
    }
    this.#timer = undefined;
    this.#schedule();
  }

  #tell(runId: string, seq: number): void {
    const entry = this.#watched.get(runId);
    if (!entry || seq <= entry.seq) return;
    entry.seq = seq;
    for (const listener of entry.listeners) listener();
  }
}

/**
 * Keeps the queue from growing without limit: while more runs are due than workers can claim, no new one is started.
 * Runs already started, and people's decisions, are not delayed by it.
 */
import { QUEUE_COUNT_AGE_MAX_MS, QUEUE_RETRY_AFTER_S } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { countDueRuns } from "@/lib/runs/queries/count-due-runs";
import { refusalBy } from "@/lib/telemetry/record-refusal";

export interface QueueRoom {
  /** Throws `unavailable` while the queue is full. */
  require(): Promise<void>;
}

/** Counts at most once per interval, however many runs are started; concurrent callers share the count. */
export function watchQueue({ db, now }: EngineDeps, max: number): QueueRoom {
  let counted: { at: number; due: Promise<number> } | null = null;
  const count = () => {
    const at = now();
    const ageMs = counted ? at.getTime() - counted.at : -1;
    if (counted && ageMs >= 0 && ageMs < QUEUE_COUNT_AGE_MAX_MS) return counted.due;
    const due = countDueRuns(db, at, max + 1);
    counted = { at: at.getTime(), due };
    due.catch(() => (counted = null));
    return due;
  };
  return {
    async require() {
      if ((await count()) <= max) return;
      throw refusalBy(
        "queue",
        `More than ${max} runs are due and wait for a worker, so no more are started now; nothing was created. Try again in ${QUEUE_RETRY_AFTER_S} s.`,
        { retryAfterS: QUEUE_RETRY_AFTER_S },
      );
    },
  };
}

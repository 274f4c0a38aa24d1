/** Follows a run: its existing and future events in order, until it has settled and all were delivered. */
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { EngineDeps } from "@/lib/database/deps";
import { hearWakes } from "@/lib/runs/hear-wakes";
import { getRunHead } from "@/lib/runs/queries/get-run-head";
import { listRunEvents, type RunEvent } from "@/lib/runs/queries/list-run-events";

/** An active run writes several events a second; one that waits for people is polled less and less often. */
const POLL_MIN_MS = 100;
const POLL_MAX_MS = 1_000;
const BATCH = 200;

/** Throws `not_found` for a run that does not exist. Ends early, without an error, when the signal says so. */
export async function* watchRun(
  deps: EngineDeps,
  options: { runId: string; after: number; signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  const { runId, signal } = options;
  let { after } = options;
  let waitMs = POLL_MIN_MS;
  const bell = new Bell(signal);
  const deafen = hearWakes(runId, () => bell.ring());
  try {
    while (!signal.aborted) {
      // The status is read first: all events of a settled run are then on record.
      const isOver = isRunSettled((await getRunHead(deps.db, runId)).status);
      const { items, nextCursor } = await listRunEvents(deps.db, runId, { after, limit: BATCH });
      yield* items;
      after = items.at(-1)?.seq ?? after;
      if (nextCursor !== null) continue;
      if (isOver) return;
      const woken = await bell.wait((waitMs = items.length > 0 ? POLL_MIN_MS : Math.min(waitMs * 2, POLL_MAX_MS)));
      if (woken) waitMs = POLL_MIN_MS;
    }
  } finally {
    deafen();
  }
}

/**
 * Waits for a time, a notification, or the end; a notification that comes while nobody waits is kept for the next wait.
 */
class Bell {
  #rung = false;
  #wake: () => void = () => undefined;

  constructor(private readonly signal: AbortSignal) {}

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  async wait(ms: number): Promise<boolean> {
    if (!this.#rung && !this.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      this.signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
    }
    const wasRung = this.#rung;
    this.#rung = false;
    return wasRung;
  }
}

/** Clock, waiting and chance as arguments, so that tests hold them. */
import { setTimeout as delay } from "node:timers/promises";

export interface Timing {
  now: () => Date;
  /** From 0 up to but not including 1. */
  random: () => number;
  /** Rejects with the signal's reason when aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

export interface TimeoutOptions {
  timeoutMs: number;
  signal: AbortSignal;
  timing: Pick<Timing, "sleep">;
  onTimeout: () => Error;
}

/**
 * Aborts the action when its time is over, and rejects with `onTimeout`'s error then. When the caller aborts, rejects with
 * the caller's reason. An answer that arrives all the same is given back: it is paid for.
 */
export async function withTimeout<T>({ timeoutMs, signal, timing, onTimeout }: TimeoutOptions, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const timer = new AbortController();
  const clock = timing.sleep(timeoutMs, timer.signal).then(
    () => over.abort(onTimeout()),
    () => undefined,
  );
  try {
    return await act(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (over.signal.aborted) throw over.signal.reason;
    throw error;
  } finally {
    timer.abort();
    await clock;
  }
}

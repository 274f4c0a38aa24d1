/** Clock, waiting and randomness as arguments, so that tests control them. */
export interface Timing {
  now: () => Date;
  /** From 0 up to but not including 1. */
  random: () => number;
  /** Rejects with the signal's reason when aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Rejects with the signal's own reason: the runtime's timers would create an error with a stack trace for each turn
 * that ends in time.
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

export interface TimeoutOptions {
  timeoutMs: number;
  signal: AbortSignal;
  timing: Pick<Timing, "sleep">;
  onTimeout: () => Error;
}

/**
 * The reason for stopping the timer: one constant, because creating an error each time would also create a stack trace.
 */
const IN_TIME = new Error("the action ended in time");

/**
 * Aborts the action when its time is over, and rejects with `onTimeout`'s error then. When the caller aborts, rejects
 * with the caller's reason. An answer that still arrives is returned: it is paid for.
 */
export async function withTimeout<T>(
  { timeoutMs, signal, timing, onTimeout }: TimeoutOptions,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
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
    timer.abort(IN_TIME);
    await clock;
  }
}

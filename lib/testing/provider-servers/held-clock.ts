/** A clock that moves only when a test moves it, or when the code under test waits for a moment. */
import type { Timing } from "@/lib/models/timing";

/** Backoffs are shorter and pass at once; timeouts are longer and are held until the test advances the time. */
const PASSES_AT_ONCE_MS = 20_000;

export interface HeldClock extends Timing {
  /** Every wait that passed at once, in order. */
  waits: number[];
  advance(ms: number): void;
}

export function createHeldClock({ random = () => 0.5 }: { random?: () => number } = {}): HeldClock {
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  const waits: number[] = [];
  const held = new Set<{ atMs: number; resolve: () => void }>();
  return {
    waits,
    random,
    now: () => new Date(nowMs),
    advance: (ms) => {
      nowMs += ms;
      for (const timer of held) if (timer.atMs <= nowMs) timer.resolve();
    },
    sleep: (ms, signal) => {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (ms <= PASSES_AT_ONCE_MS) {
        waits.push(ms);
        nowMs += ms;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const timer = { atMs: nowMs + ms, resolve };
        held.add(timer);
        signal.addEventListener("abort", () => {
          held.delete(timer);
          reject(signal.reason);
        });
      });
    },
  };
}

/**
 * When a program that ended may be started again: at once after the first time, then later each time, so that one that
 * ends as soon as it is started does not keep the machine busy.
 */
import { RESTART_DELAY_MS, RESTART_DELAY_MAX_MS, STABLE_AFTER_MS } from "./tool-limits";

/** Nothing was started, because the program ended too often; later it will be. */
export class RestartDelayed extends Error {
  override readonly name = "RestartDelayed";
}

export interface RestartGate {
  /** Throws RestartDelayed. */
  check(id: string): void;
  /** The program ended by itself, or by a limit. */
  ended(id: string, end: { livedMs: number; reason: string }): void;
}

interface State {
  /** Ends in a row, each soon after its start. */
  count: number;
  reason: string;
  notBefore: number;
}

export function createRestartGate(now: () => number): RestartGate {
  const states = new Map<string, State>();
  return {
    check(id) {
      const state = states.get(id);
      const leftMs = state ? state.notBefore - now() : 0;
      if (!state || leftMs <= 0) return;
      throw new RestartDelayed(
        `${state.reason}, ${state.count} times in a row; it is not started again for ${Math.ceil(leftMs / 1000)} s`,
      );
    },
    ended(id, { livedMs, reason }) {
      const at = now();
      for (const [other, { notBefore }] of states) if (notBefore + STABLE_AFTER_MS < at) states.delete(other);
      const count = livedMs >= STABLE_AFTER_MS ? 1 : (states.get(id)?.count ?? 0) + 1;
      const delayMs = count === 1 ? 0 : Math.min(RESTART_DELAY_MS * 2 ** (count - 2), RESTART_DELAY_MAX_MS);
      states.set(id, { count, reason, notBefore: at + delayMs });
    },
  };
}

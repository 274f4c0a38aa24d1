/** Polls for a state, with a deadline whose error says what was seen last. */
import { setTimeout as delay } from "node:timers/promises";
import { HANG_MS } from "@/lib/testing/hang";

const LOOK_INTERVAL_MS = 15;

export interface UntilOptions<T> {
  /** What is waited for, for the message. */
  what: string;
  timeoutMs?: number;
  isDone: (seen: T) => boolean;
}

export async function until<T>(
  read: () => Promise<T>,
  { what, timeoutMs = HANG_MS, isDone }: UntilOptions<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await read();
    if (isDone(seen)) return seen;
    if (performance.now() > deadline)
      throw new Error(`${what}: not within ${timeoutMs} ms. Last seen: ${JSON.stringify(seen)}`);
    await delay(LOOK_INTERVAL_MS);
  }
}

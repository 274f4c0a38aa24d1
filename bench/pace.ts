/** Starts something at a fixed rate, whether or not what it started before has ended, as independent clients do. */
import { setTimeout as delay } from "node:timers/promises";

const TICK_MS = 10;
/** What gets no slot is skipped and counted: a client that waits for the server would hide how slow it is. */
const AT_ONCE_MAX = 200;

export async function pace(
  perSecond: number,
  ms: number,
  work: () => Promise<void>,
): Promise<{ seconds: number; skipped: number }> {
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();
  let begun = 0;
  let skipped = 0;
  for (;;) {
    const elapsed = performance.now() - startedAt;
    if (elapsed >= ms) break;
    for (; begun < (elapsed / 1000) * perSecond; begun++) {
      if (underWay.size >= AT_ONCE_MAX) {
        skipped += 1;
        continue;
      }
      const one: Promise<void> = work().finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await delay(TICK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(underWay);
  return { seconds, skipped };
}

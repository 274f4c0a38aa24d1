/** Keeps a process running: one that ends unasked is started again, at growing intervals while it keeps ending. */
import { setTimeout as delay } from "node:timers/promises";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Up for this long, a process counts as healthy, and its next failure as the first. */
const HEALTHY_AFTER_MS = 60_000;

/** How long to wait before the next start, from the last wait and how long the process was up. */
export function nextWaitMs(lastWaitMs, upMs) {
  if (lastWaitMs === 0 || upMs >= HEALTHY_AFTER_MS) return FIRST_WAIT_MS;
  return Math.min(lastWaitMs * 2, LONGEST_WAIT_MS);
}

/**
 * `start` resolves, once the process is usable, with `{ exited, stop }`, where `exited` resolves with the reason of its
 * end. A failure of the first start is thrown; later ones are tried again. `restart` ends the process on purpose, so
 * that it is started again at once.
 */
export async function supervise({ name, start, say }) {
  const stopped = new AbortController();
  let current = await start();
  let wanted = false;

  async function keepUp() {
    let waitMs = 0;
    while (!stopped.signal.aborted) {
      const began = Date.now();
      const reason = current.failed ?? (await current.exited);
      if (stopped.signal.aborted) return;
      if (wanted) waitMs = 0;
      else {
        waitMs = nextWaitMs(waitMs, Date.now() - began);
        say(`${name} ended (${reason}); starting it again in ${waitMs / 1000} s`);
        await delay(waitMs, undefined, { signal: stopped.signal }).catch(() => {});
      }
      wanted = false;
      if (stopped.signal.aborted) return;
      current = await start().catch((error) => ({ failed: error.message, stop: async () => {} }));
    }
  }

  const loop = keepUp();
  return {
    first: current,
    restart: async () => {
      wanted = true;
      await current.stop();
    },
    stop: async () => {
      stopped.abort();
      await current.stop();
      await loop;
      // A start that was in progress when we were asked to stop has finished meanwhile.
      await current.stop();
    },
  };
}

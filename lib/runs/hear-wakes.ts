/**
 * Notifies those who follow a run in this process when it was woken, by whichever process. One wake channel serves all
 * of them.
 */
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { openWakeChannel, type WakeChannel } from "@/lib/database/wake-channel";

const listeners = new Map<string, Set<() => void>>();
let channel: WakeChannel | null = null;

/**
 * Returns a function that stops listening. A notification may be missed while the channel is down; listeners poll as
 * well.
 */
export function hearWakes(runId: string, onWake: () => void): () => void {
  const own = listeners.get(runId) ?? new Set();
  listeners.set(runId, own.add(onWake));
  if (env.DATABASE_URL)
    channel ??= openWakeChannel(env.DATABASE_URL, createId("worker"), (called) =>
      listeners.get(called)?.forEach((wake) => wake()),
    );
  return () => {
    own.delete(onWake);
    if (own.size === 0 && listeners.get(runId) === own) listeners.delete(runId);
    if (listeners.size > 0) return;
    void channel?.close();
    channel = null;
  };
}

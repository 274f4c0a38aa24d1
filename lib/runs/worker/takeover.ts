/**
 * Detects dead processes by the lock that each holds while it lives, and frees their runs for whoever claims them
 * first. One process watches for all; when its session ends another one does. While the watcher is suspended but
 * connected, runs are taken over when their lease has ended.
 */
import { TAKEOVER_GRACE_AFTER_OUTAGE_MS, TAKEOVER_GRACE_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { log } from "@/lib/log";
import { pause } from "@/lib/pause";
import { listMissingOwners, releaseDeadOwners } from "@/lib/runs/transitions/release-dead-owners";
import type { WakeChannel } from "@/lib/database/wake-channel";
import { metrics } from "@/lib/telemetry/metrics";

/** The part of the wake channel that shows how others see this process. */
export type SignOfLife = Pick<WakeChannel, "isOpen" | "backForMs">;
export type Watch = SignOfLife & Pick<WakeChannel, "watch" | "unwatch">;

/** When the database itself was away everyone lost their lock and missed renewals; nobody counts as dead for that. */
export function mayTakeOver(channel: SignOfLife): boolean {
  return channel.isOpen() && (channel.backForMs() ?? Infinity) >= TAKEOVER_GRACE_AFTER_OUTAGE_MS;
}

/** Each invocation checks once, if this process is the watcher, and returns the runs that it freed. */
export function createTakeover(deps: EngineDeps, ownId: string, channel: Watch): () => Promise<string[]> {
  let missedSince = new Map<string, number>();
  const look = async () => {
    await pause("watch-owners:before-look", ownId);
    const at = performance.now();
    const missing = await listMissingOwners(deps.db, ownId, deps.now());
    missedSince = new Map(missing.map((owner) => [owner, missedSince.get(owner) ?? at]));
    const dead = missing.filter((owner) => at - (missedSince.get(owner) ?? at) >= TAKEOVER_GRACE_MS);
    if (dead.length === 0) return [];
    const freed = await releaseDeadOwners(deps.db, dead, deps.now());
    metrics().takeovers.inc(freed.length);
    if (freed.length > 0) log.warn({ workers: dead, runs: freed.length }, "a process is gone; its runs are taken over");
    return freed;
  };
  return async () => {
    if (mayTakeOver(channel)) {
      await pause("watch-owners:before-try", ownId);
      if (await channel.watch()) return lookOrLeave(look, channel);
    }
    missedSince.clear();
    return [];
  };
}

/** A process that cannot watch leaves it to another. */
async function lookOrLeave(look: () => Promise<string[]>, channel: Watch): Promise<string[]> {
  try {
    return await look();
  } catch (error) {
    await channel.unwatch().catch(() => undefined);
    throw error;
  }
}

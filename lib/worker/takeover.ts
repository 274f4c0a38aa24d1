/** Notices processes that died, by the lock that each holds while it lives, and frees their runs for whoever claims them first. */
import { TAKEOVER_GRACE_AFTER_OUTAGE_MS, TAKEOVER_GRACE_MS } from "@/lib/domain/limits";
import type { EngineDeps } from "@/lib/engine/deps";
import { log } from "@/lib/log";
import { listMissingOwners, releaseDeadOwners } from "@/lib/store/transitions/release-dead-owners";
import type { WakeLine } from "@/lib/store/wake-line";
import { metrics } from "@/lib/telemetry/metrics";

/** The part of the wake line that says how this process is seen. */
export type SignOfLife = Pick<WakeLine, "isOpen" | "backForMs">;

/** When the database itself was away everyone lost their lock and missed renewals; nobody is dead for that. */
export function mayTakeOver(line: SignOfLife): boolean {
  return line.isOpen() && (line.backForMs() ?? Infinity) >= TAKEOVER_GRACE_AFTER_OUTAGE_MS;
}

/** Each call looks once; it gives back the runs that it freed. */
export function createTakeover(deps: EngineDeps, ownId: string, line: SignOfLife): () => Promise<string[]> {
  let missedSince = new Map<string, number>();
  return async () => {
    if (!mayTakeOver(line)) {
      missedSince.clear();
      return [];
    }
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
}

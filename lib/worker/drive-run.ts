/** One run in the hands of this process: from the claim to where it ends, waits, or is let go of. */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { LEASE_MS, LEASE_SEND_MS } from "@/lib/domain/limits";
import type { RunDeps } from "@/lib/engine/advance/run-deps";
import { type AdvanceOutcome, advanceRun } from "@/lib/engine/advance-run";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import type { Candidate, Lease } from "@/lib/store/lease-sql";
import { type ClaimOutcome, claimRun } from "@/lib/store/transitions/claim-run";
import { stumbleRun } from "@/lib/store/transitions/stumble-run";
import { metrics } from "@/lib/telemetry/metrics";
import { followAdvance } from "@/lib/telemetry/tell-run";

/** Null until the claim has succeeded. */
export interface ActiveRun {
  lease: Lease | null;
  /** As last renewed; a higher count in the row means that someone gave the run something new to do. */
  wakes: number;
  /** When the lease was last taken or renewed, by the clock that goes on while a process is stopped. */
  renewedAt: number;
  wake: () => Promise<void>;
  /** Aborted when the process ends, or when the lease is lost: nothing new begins, what was sent may finish. */
  stop: AbortController;
  ended: Promise<void>;
}

export async function driveRun(deps: RunDeps, candidate: Candidate, owner: string, active: ActiveRun): Promise<AdvanceOutcome> {
  const claimedFrom = new Date();
  return driveClaimed(deps, await claimRun(deps.db, { candidate, owner, leaseMs: LEASE_MS }, SYSTEM_ACTOR, deps.now()), claimedFrom, active);
}

/** `claimedFrom` is when the claim was begun. */
export async function driveClaimed(deps: RunDeps, claim: ClaimOutcome, claimedFrom: Date, active: ActiveRun): Promise<AdvanceOutcome> {
  metrics().claims.inc({ outcome: claim.kind });
  if (claim.kind === "lost") return { kind: "lost" };
  active.lease = claim.lease;
  active.wakes = claim.wakes;
  const isFresh = () => performance.now() - active.renewedAt < LEASE_SEND_MS;
  try {
    const options = { signal: active.stop.signal, snapshot: claim.snapshot, isFresh, lastSendsMs: LEASE_MS, onReady: (wake: ActiveRun["wake"]) => void (active.wake = wake) };
    return await followAdvance(claim.lease, claimedFrom, () => advanceRun(deps, claim.lease, options));
  } catch (error) {
    log.error({ run: claim.lease.runId, err: error }, "a run could not be advanced; it is tried again later");
    await stumbleRun(deps.db, claim.lease, describe(error), deps.now());
    return { kind: "lost" };
  }
}

/** What stands on the run is for people who look at it; the inside of a fault is for the log. */
function describe(error: unknown): { code: string; message: string } {
  if (error instanceof KimitsuError) return { code: error.code, message: error.message };
  return { code: "internal", message: "The run could not be advanced by a fault of Kimitsu's own; the log has it. It is tried again." };
}

/** One run in this process: from the claim to where it ends, waits, or is released. */
import { LEASE_MS, LEASE_SEND_MS } from "@/lib/limits";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { type AdvanceOutcome, advanceRun } from "@/lib/runs/advance-run";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import type { Lease } from "@/lib/runs/journal/commit";
import { type Candidate, type Claimed, claimRun } from "@/lib/runs/journal/claim-run";
import { RecordChanged } from "@/lib/runs/journal/fold";
import { stopChangedRun } from "@/lib/runs/journal/stop-changed-run";
import { releaseAfterFault } from "@/lib/runs/journal/release-after-fault";
import { metrics } from "@/lib/telemetry/metrics";
import { followAdvance } from "@/lib/telemetry/record-run";

/** Null until the claim has succeeded. */
export interface ActiveRun {
  lease: Lease | null;
  /**
   * The end of its journal at the last renewal; a higher one that this worker has not written is a change by others.
   */
  knownSeq: () => number;
  /** When the lease was last taken or renewed, by a clock that continues while a process is suspended. */
  renewedAt: number;
  wake: () => Promise<void>;
  /** Aborted when the process ends, or when the lease is lost: nothing new begins, what was sent may finish. */
  stop: AbortController;
  ended: Promise<void>;
}

export async function driveRun(
  deps: RunDeps,
  { candidate, owner }: { candidate: Candidate; owner: string },
  active: ActiveRun,
): Promise<AdvanceOutcome> {
  const claimedFrom = new Date();
  const claimed = await claimOrStop(deps, candidate, owner);
  return driveClaimed(deps, { claimed, claimedFrom }, active);
}

function claimOrStop(deps: RunDeps, candidate: Candidate, owner: string): Promise<Claimed | null> {
  const claim = () => claimRun(deps.db, candidate, { owner, leaseMs: LEASE_MS }, deps.now());
  return orStop(deps, claim, null);
}

/**
 * A run whose record was changed by hand is stopped, with an incident on its trail: nothing is done on the basis of it.
 */
async function orStop<T, Stopped>(deps: RunDeps, work: () => Promise<T>, stopped: Stopped): Promise<T | Stopped> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RecordChanged)) throw error;
    const { runId: run, problem } = error;
    log.error({ run, problem }, "the record of a run was changed in the database; the run is stopped");
    await stopChangedRun(deps.db, error, deps.now());
    return stopped;
  }
}

/** `claimedFrom` is when the claim was begun. */
export async function driveClaimed(
  deps: RunDeps,
  { claimed, claimedFrom }: { claimed: Claimed | null; claimedFrom: Date },
  active: ActiveRun,
): Promise<AdvanceOutcome> {
  metrics().claims.inc({ outcome: claimed ? "claimed" : "lost" });
  if (!claimed) return { kind: "lost" };
  const { lease, run } = claimed;
  active.lease = lease;
  active.knownSeq = () => run.head.seq;
  const isFresh = () => performance.now() - active.renewedAt < LEASE_SEND_MS;
  const options = {
    signal: active.stop.signal,
    isFresh,
    lastSendsMs: LEASE_MS,
    onReady: (wake: ActiveRun["wake"]) => void (active.wake = wake),
  };
  const advance = () => followAdvance(lease, claimedFrom, () => advanceRun(deps, claimed, options));
  return orStop(deps, () => orRelease(deps, lease, advance), { kind: "lost" });
}

async function orRelease(deps: RunDeps, lease: Lease, advance: () => Promise<AdvanceOutcome>): Promise<AdvanceOutcome> {
  try {
    return await advance();
  } catch (error) {
    if (error instanceof RecordChanged) throw error;
    log.error({ run: lease.runId, err: error }, "a run could not be advanced; it is tried again later");
    await releaseAfterFault(deps.db, lease, describe(error), deps.now());
    return { kind: "lost" };
  }
}

/** The error on the run is for people; the details of a fault are for the log. */
function describe(error: unknown): { code: string; message: string } {
  if (error instanceof KimitsuError) return { code: error.code, message: error.message };
  return {
    code: "internal",
    message: "The run could not be advanced by a fault of Kimitsu's own; the log has it. It is tried again.",
  };
}

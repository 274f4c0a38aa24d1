/**
 * A place of this process's worker for one run. Whoever gives a run something to do claims it for the worker in the same commit: it need
 * not be found, and nobody else is called.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { LEASE_MS } from "@/lib/domain/limits";
import type { RunStatus } from "@/lib/domain/run-state";
import type { EngineDeps } from "@/lib/engine/deps";
import { commitBoth, type Statements } from "@/lib/store/client";
import { type ClaimOutcome, claimRun } from "@/lib/store/transitions/claim-run";

export interface Seat {
  owner: string;
  /** The run is this process's from here on. */
  take(claim: ClaimOutcome): void;
  /** Nothing came of it; resolves when the place is free again. */
  leave(): Promise<void>;
}

export interface SeatDeps extends EngineDeps {
  /** Null when this process has no place free. */
  seat?: (runId: string) => Seat | null;
  /** Tells this process's worker, or others, that there is something to do. */
  wake: (runId: string) => void;
}

export interface Work<Done> {
  runId: string;
  /** As it is after the write, if it has something to do then. */
  status: Extract<RunStatus, "pending" | "pending_approval">;
  /** One statement. */
  write: (db: Statements, at: Date) => Promise<Done>;
  /** Whether the run has something to do now. */
  isWoken: (done: Done) => boolean;
}

/** Writes, and sees to it that someone goes on with the run. */
export async function writeAndGoOn<Done>(deps: SeatDeps, { runId, status, write, isWoken }: Work<Done>): Promise<Done> {
  const at = deps.now();
  const seat = deps.seat?.(runId) ?? null;
  const done = seat ? await writeAndClaim(deps, seat, at) : { written: await write(deps.db, at), isTaken: false };
  if (!done.isTaken && isWoken(done.written)) deps.wake(runId);
  return done.written;

  async function writeAndClaim({ db }: SeatDeps, { owner, take, leave }: Seat, claimedAt: Date) {
    let isTaken = false;
    try {
      const candidate = { id: runId, status, leaseOwner: null };
      const [written, claim] = await commitBoth(db, (own) => write(own, claimedAt), (own) => claimRun(own, { candidate, owner, leaseMs: LEASE_MS }, SYSTEM_ACTOR, claimedAt));
      isTaken = claim.kind === "claimed";
      if (isTaken) take(claim);
      return { written, isTaken };
    } finally {
      if (!isTaken) await leave();
    }
  }
}

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
export async function writeAndGoOn<Done>(deps: SeatDeps, work: Work<Done>): Promise<Done> {
  const seat = deps.seat?.(work.runId) ?? null;
  const { done, isTaken } = seat ? await writeAndClaim(deps, seat, work) : { done: await work.write(deps.db, deps.now()), isTaken: false };
  if (!isTaken && work.isWoken(done)) deps.wake(work.runId);
  return done;
}

async function writeAndClaim<Done>({ db, now }: SeatDeps, { owner, take, leave }: Seat, { runId, status, write }: Work<Done>): Promise<{ done: Done; isTaken: boolean }> {
  const at = now();
  const claim = { candidate: { id: runId, status, leaseOwner: null }, owner, leaseMs: LEASE_MS };
  let isTaken = false;
  try {
    const [done, outcome] = await commitBoth(db, (own) => write(own, at), (own) => claimRun(own, claim, SYSTEM_ACTOR, at));
    isTaken = outcome.kind === "claimed";
    if (isTaken) take(outcome);
    return { done, isTaken };
  } finally {
    if (!isTaken) await leave();
  }
}

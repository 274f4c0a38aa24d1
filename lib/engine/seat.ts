/**
 * A place of this process's worker for one run. Whoever gives a run something to do claims it for the worker in the same statement: it need
 * not be found, and nobody else is called.
 */
import { LEASE_MS } from "@/lib/domain/limits";
import type { EngineDeps } from "@/lib/engine/deps";
import type { Statements } from "@/lib/store/client";
import type { Claimer, ClaimOutcome } from "@/lib/store/transitions/claim-run";

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
  /** One statement, which also claims the run for whoever is given, if it has something to do then. */
  write: (db: Statements, claimer: Claimer | null, at: Date) => Promise<{ done: Done; claim: ClaimOutcome }>;
  /** Whether the run has something to do now. */
  isWoken: (done: Done) => boolean;
}

/** Writes, and sees to it that someone goes on with the run. */
export async function writeAndGoOn<Done>(deps: SeatDeps, { runId, write, isWoken }: Work<Done>): Promise<Done> {
  const seat = deps.seat?.(runId) ?? null;
  const { done, claim } = await write(deps.db, seat && { owner: seat.owner, leaseMs: LEASE_MS }, deps.now()).catch(async (error: unknown) => {
    await seat?.leave();
    throw error;
  });
  if (seat && claim.kind === "claimed") seat.take(claim);
  else {
    await seat?.leave();
    if (isWoken(done)) deps.wake(runId);
  }
  return done;
}

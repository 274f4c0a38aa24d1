/**
 * A place of this process's worker for one run. Whoever gives a run something to do claims it for the worker in the
 * same statement: it need not be found, and nobody else is called.
 */
import { LEASE_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import type { Claimed, Claimer } from "@/lib/runs/journal/claim-run";

export interface WorkerSlot {
  owner: string;
  /** The run is this process's from here on. */
  take(claimed: Claimed): void;
  /** Nothing came of it; resolves when the place is free again. */
  leave(): Promise<void>;
}

export interface WorkerSlotDeps extends EngineDeps {
  /** Null when this process has no place free. */
  workerSlot?: (runId: string) => WorkerSlot | null;
  /** Tells this process's worker, or others, that there is something to do. */
  wake: (runId: string) => void;
}

export interface Work<Done> {
  runId: string;
  /** One commit, which also claims the run for whoever is given, if it has something to do then. */
  write: (claimer: Claimer | null, at: Date) => Promise<{ done: Done; claimed: Claimed | null }>;
  /** Whether the run has something to do now. */
  isWoken: (done: Done) => boolean;
}

/** Writes, and sees to it that someone goes on with the run. */
export async function writeAndGoOn<Done>(deps: WorkerSlotDeps, { runId, write, isWoken }: Work<Done>): Promise<Done> {
  const workerSlot = deps.workerSlot?.(runId) ?? null;
  const claimer = workerSlot && { owner: workerSlot.owner, leaseMs: LEASE_MS };
  const { done, claimed } = await write(claimer, deps.now()).catch(async (error: unknown) => {
    await workerSlot?.leave();
    throw error;
  });
  if (workerSlot && claimed) workerSlot.take(claimed);
  else {
    await workerSlot?.leave();
    if (isWoken(done)) deps.wake(runId);
  }
  return done;
}

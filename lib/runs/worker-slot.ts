/**
 * A worker slot of this process for one run. Whoever gives a run something to do claims it for the worker in the same
 * statement: it need not be found, and nobody else is notified.
 */
import { LEASE_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import type { Claimed, Claimer } from "@/lib/runs/journal/claim-run";

export interface WorkerSlot {
  owner: string;
  /** The run belongs to this process from here on. */
  take(claimed: Claimed): void;
  /** Nothing was claimed; resolves when the slot is free again. */
  leave(): Promise<void>;
}

export interface WorkerSlotDeps extends EngineDeps {
  /** Null when this process has no free slot. */
  workerSlot?: (runId: string) => WorkerSlot | null;
  /** Notifies this process's worker, or others, that there is something to do. */
  wake: (runId: string) => void;
}

export interface Work<Done> {
  runId: string;
  /** One commit, which also claims the run for the given claimer, if it has something to do then. */
  write: (claimer: Claimer | null, at: Date) => Promise<{ done: Done; claimed: Claimed | null }>;
  /** Whether the run has something to do now. */
  isWoken: (done: Done) => boolean;
}

/** Writes, and makes sure that a worker continues the run. */
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

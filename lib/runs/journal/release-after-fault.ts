/**
 * Releases a run that could not be advanced because of a fault that is not its own. It is tried again, each time with a
 * longer delay, by whichever process comes first; trying loses nothing, and a person can cancel it.
 */
import type { Db } from "@/lib/database/client";
import { applyChange } from "@/lib/runs/changes/registry";
import { retryTimeAfter, type RunReleased } from "@/lib/runs/changes/run-released";
import { type Lease, linkChanges, writeCommit } from "@/lib/runs/journal/commit";
import { findRunToGoOn } from "@/lib/runs/journal/open-run";

/** Writes nothing if another process has the run by now. */
export async function releaseAfterFault(db: Db, lease: Lease, fault: RunReleased["fault"], at: Date): Promise<void> {
  const run = await findRunToGoOn(db, lease.runId);
  if (!run || run.leaseOwner !== lease.owner || run.epoch !== lease.epoch) return;
  const change = { kind: "run_released", at: at.toISOString(), fault, worker: lease.owner } as const;
  applyChange(run.snapshot, change);
  const queue = { kind: "release", wakeAt: retryTimeAfter(run.snapshot, at) } as const;
  const commit = { run, changes: [change], lease, queue, at };
  await writeCommit(db, commit, linkChanges(commit));
}

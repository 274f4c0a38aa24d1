/**
 * Lets go of a run that could not be advanced by a fault that is not its own. It is tried again, each time later than
 * the time before, by whichever process comes first; nothing is lost by trying, and a person who has seen enough
 * cancels it.
 */
import type { Db } from "@/lib/database/client";
import { applyChange } from "@/lib/runs/changes/registry";
import { retryTimeAfter, type RunReleased } from "@/lib/runs/changes/run-released";
import { type Lease, linkChanges, writeCommit } from "@/lib/runs/journal/commit";
import { findRunToGoOn } from "@/lib/runs/journal/open-run";

/** Where another process has the run by now, nothing is written. */
export async function releaseAfterFault(db: Db, lease: Lease, fault: RunReleased["fault"], at: Date): Promise<void> {
  const run = await findRunToGoOn(db, lease.runId);
  if (!run || run.leaseOwner !== lease.owner || run.epoch !== lease.epoch) return;
  const change = { kind: "run_released", at: at.toISOString(), fault, worker: lease.owner } as const;
  applyChange(run.snapshot, change);
  const queue = { kind: "release", wakeAt: retryTimeAfter(run.snapshot, at) } as const;
  const commit = { run, changes: [change], lease, queue, at };
  await writeCommit(db, commit, linkChanges(commit));
}

/**
 * Claims a run that is due, or one whose worker was silent for too long. Raises the epoch, so that every later write of
 * the previous worker is refused. Null when another process was quicker, or the run is no longer as it was seen. Throws
 * RecordChanged when its journal, its row or those of its open approvals were changed by hand.
 */
import type { Db } from "@/lib/database/client";
import { pause } from "@/lib/pause";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { type Commit, type Lease, linkChanges, writeCommit } from "@/lib/runs/journal/commit";
import { findChangedQuestion } from "@/lib/runs/journal/changed-questions";
import { moveHead, RecordChanged } from "@/lib/runs/journal/fold";
import { findRunToGoOn, type OpenRun } from "@/lib/runs/journal/open-run";
import { isRunSettled } from "@/lib/runs/rules/run-state";

/** Who claims a run, and for how long without a renewal. */
export interface Claimer {
  owner: string;
  leaseMs: number;
}

export interface Claimed {
  lease: Lease;
  run: OpenRun;
}

/** `seenOwner` is who had the run when it was found: a different owner now means that somebody was quicker. */
export interface Candidate {
  id: string;
  leaseOwner: string | null;
}

export async function claimRun(db: Db, candidate: Candidate, claimer: Claimer, at: Date): Promise<Claimed | null> {
  const run = await findRunToGoOn(db, candidate.id);
  if (!run || run.leaseOwner !== candidate.leaseOwner || isRunSettled(run.snapshot.run.status)) return null;
  if (candidate.leaseOwner === null && (run.wakeAt === null || run.wakeAt > at)) return null;
  const problem = await findChangedQuestion(db, run);
  if (problem) throw new RecordChanged(candidate.id, problem);
  const changes = isAnnounced(run) ? [claimChange(run, claimer.owner, at)] : [];
  for (const change of changes) applyChange(run.snapshot, change);
  const queue = claimMove(claimer, candidate.leaseOwner, at);
  const commit: Commit = { run, changes, lease: null, queue, at };
  const entry = linkChanges(commit);
  await pause("claim-run:before-commit", candidate.id);
  const isClaimed = await writeCommit(db, commit, entry);
  await pause("claim-run:after-commit", candidate.id);
  return isClaimed ? toClaimed(run, claimer, entry) : null;
}

export const claimMove = ({ owner, leaseMs }: Claimer, seenOwner: string | null, at: Date) =>
  ({ kind: "claim", owner, until: new Date(at.getTime() + leaseMs), seenOwner }) as const;

export const claimChange = ({ snapshot, leaseOwner }: OpenRun, worker: string, at: Date): RunChange => ({
  kind: "run_claimed",
  at: at.toISOString(),
  worker,
  from: leaseOwner,
  was: snapshot.run.status,
});

/**
 * Waiting for a time (a rate limit, the switch that stops all calls) was no event, so resuming from it is none either.
 */
function isAnnounced({ snapshot: { run }, leaseOwner }: OpenRun): boolean {
  return run.status !== "running" || leaseOwner !== null || run.isClaimAnnounced;
}

function toClaimed(run: OpenRun, { owner }: Claimer, entry: ReturnType<typeof linkChanges>): Claimed {
  const epoch = run.epoch + 1;
  if (entry) moveHead(run, entry);
  return {
    lease: { runId: run.snapshot.run.id, owner, epoch },
    run: Object.assign(run, { leaseOwner: owner, epoch, wakeAt: null }),
  };
}

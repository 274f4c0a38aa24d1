/**
 * The states of a run.
 *
 * pending             created, waiting for a worker          start-run
 * running             a worker advances it                    claim-run; start-run and decide-approval claim for a worker that stands by, settle-call wakes it
 * pending_approval    waits for people to decide calls        park-run-for-approval; holds no process and no connection
 * needs_human_review  waits for a person to accept an output, or to settle a call whose outcome is unknown
 * complete            every step ended well                   settle-run
 * failed              a step failed, or a limit was reached   settle-run
 * cancelled           a person ended it                       cancel-run
 */
import { isFinal, type TransitionTable } from "@/lib/domain/transition-table";

export type RunStatus = "pending" | "running" | "pending_approval" | "needs_human_review" | "complete" | "failed" | "cancelled";

export const RUN_TRANSITIONS: TransitionTable<RunStatus> = {
  pending: ["running", "cancelled"],
  running: ["pending_approval", "needs_human_review", "complete", "failed", "cancelled"],
  pending_approval: ["running", "failed", "cancelled"],
  needs_human_review: ["running", "failed", "cancelled"],
  complete: [],
  failed: [],
  cancelled: [],
};

/** A run parked for people is not settled: it goes on when they have spoken. */
export const isRunSettled = (status: RunStatus): boolean => isFinal(RUN_TRANSITIONS, status);

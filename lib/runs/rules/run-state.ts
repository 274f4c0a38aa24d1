/**
 * The states of a run, and the changes that move it there.
 *
 * - `pending`: created, waits for a worker (`run_created`)
 * - `running`: a worker advances it, or may claim it at once (`run_claimed`, `run_parked`)
 * - `pending_approval`: waits for people to decide calls, and holds no process and no connection (`run_parked`)
 * - `needs_human_review`: waits for a person to accept an output, or to settle a call whose outcome is unknown
 *   (`run_parked`)
 * - `complete`: every step ended well (`run_ended`)
 * - `failed`: a step failed, or a limit was reached (`run_ended`)
 * - `cancelled`: a person ended it (`run_cancelled`)
 */
import { isFinal, type TransitionTable } from "@/lib/runs/rules/transition-table";

export type RunStatus =
  | "pending"
  | "running"
  | "pending_approval"
  | "needs_human_review"
  | "complete"
  | "failed"
  | "cancelled";

export const RUN_TRANSITIONS: TransitionTable<RunStatus> = {
  pending: ["running", "cancelled"],
  running: ["pending_approval", "needs_human_review", "complete", "failed", "cancelled"],
  pending_approval: ["running", "failed", "cancelled"],
  needs_human_review: ["running", "failed", "cancelled"],
  complete: [],
  failed: [],
  cancelled: [],
};

/** A run parked for people is not settled: it continues when they have decided. */
export const isRunSettled = (status: RunStatus): boolean => isFinal(RUN_TRANSITIONS, status);

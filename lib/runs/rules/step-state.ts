/**
 * The states of a step, and of one item of its fan-out.
 *
 * pending             waits for the steps before it
 * running             its work is in progress
 * pending_approval    one of its calls waits for people
 * needs_human_review  its output, or a call's unknown outcome, waits for a person
 * complete            its output is on record
 * failed              it cannot be ended well, and so neither can the run; from pending when it could not even begin
 * skipped             its condition was false, what it depends on was skipped, or the agent gave a reason to
 * cancelled           the run was ended before it
 */
import { isFinal, type TransitionTable } from "@/lib/runs/rules/transition-table";

export type StepStatus =
  | "pending"
  | "running"
  | "pending_approval"
  | "needs_human_review"
  | "complete"
  | "failed"
  | "skipped"
  | "cancelled";

export const STEP_TRANSITIONS: TransitionTable<StepStatus> = {
  pending: ["running", "failed", "skipped", "cancelled"],
  running: ["pending_approval", "needs_human_review", "complete", "failed", "skipped", "cancelled"],
  pending_approval: ["running", "failed", "cancelled"],
  needs_human_review: ["running", "complete", "failed", "cancelled"],
  complete: [],
  failed: [],
  skipped: [],
  cancelled: [],
};

export const isStepSettled = (status: StepStatus): boolean => isFinal(STEP_TRANSITIONS, status);

/** Moves one part of a run, only by the state tables: any other transition is refused. */
import { APPROVAL_TRANSITIONS, type ApprovalStatus, isApprovalSettled } from "@/lib/approvals/rules/approval-state";
import { CALL_TRANSITIONS, type CallStatus, isCallSettled } from "@/lib/runs/rules/call-state";
import { isRunSettled, RUN_TRANSITIONS, type RunStatus } from "@/lib/runs/rules/run-state";
import { isStepSettled, STEP_TRANSITIONS, type StepStatus } from "@/lib/runs/rules/step-state";
import { canMove } from "@/lib/runs/rules/transition-table";
import type { ApprovalRow, CallRow, RunSnapshot, StepRow } from "@/lib/runs/snapshot";

export function stepOf({ run, steps }: RunSnapshot, stepId: string): StepRow {
  const step = steps.get(stepId);
  if (!step) throw new Error(`unreachable: run ${run.id} has no step ${stepId}`);
  return step;
}

export function callOf({ run, calls }: RunSnapshot, callId: string): CallRow {
  const call = calls.get(callId);
  if (!call) throw new Error(`unreachable: run ${run.id} has no call ${callId}`);
  return call;
}

export function approvalOf({ run, approvals }: RunSnapshot, approvalId: string): ApprovalRow {
  const approval = approvals.get(approvalId);
  if (!approval) throw new Error(`unreachable: run ${run.id} has no approval ${approvalId}`);
  return approval;
}

export function moveRun({ run }: RunSnapshot, to: RunStatus, at: string): void {
  if (run.status !== to && !canMove(RUN_TRANSITIONS, run.status, to)) throw refusal("run", run, to);
  run.status = to;
  run.completedAt = isRunSettled(to) ? at : null;
}

export function moveStep(snapshot: RunSnapshot, stepId: string, { to, at }: { to: StepStatus; at: string }): StepRow {
  const step = stepOf(snapshot, stepId);
  if (step.status !== to && !canMove(STEP_TRANSITIONS, step.status, to)) throw refusal("step", step, to);
  step.status = to;
  if (to !== "cancelled") step.startedAt ??= at;
  step.completedAt = isStepSettled(to) ? at : null;
  return step;
}

export function moveCall(snapshot: RunSnapshot, callId: string, { to, at }: { to: CallStatus; at: string }): CallRow {
  const call = callOf(snapshot, callId);
  if (call.status !== to && !canMove(CALL_TRANSITIONS, call.status, to)) throw refusal("call", call, to);
  call.status = to;
  call.completedAt = isCallSettled(to) ? at : null;
  return call;
}

export function moveApproval(
  snapshot: RunSnapshot,
  approvalId: string,
  { to, at }: { to: ApprovalStatus; at: string },
): ApprovalRow {
  const approval = approvalOf(snapshot, approvalId);
  if (!canMove(APPROVAL_TRANSITIONS, approval.status, to)) throw refusal("approval", approval, to);
  approval.status = to;
  approval.version += 1;
  approval.decidedAt = isApprovalSettled(to) ? at : null;
  return approval;
}

/** A step continues when the last of its approvals is decided. */
export function resumeStep(snapshot: RunSnapshot, stepId: string): void {
  const step = stepOf(snapshot, stepId);
  const isAsked = [...snapshot.approvals.values()].some((each) => each.stepId === stepId && each.status === "pending");
  if (step.status === "pending_approval" && !isAsked) step.status = "running";
}

const refusal = (what: string, { id, status }: { id: string; status: string }, to: string) =>
  new Error(`unreachable: ${what} ${id} is ${status} and cannot become ${to}`);

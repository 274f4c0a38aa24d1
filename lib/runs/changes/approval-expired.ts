/** Nobody decided in time: the question ends, and its call with it. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveApproval, moveCall, resumeStep } from "@/lib/runs/changes/move";

export interface ApprovalExpired extends Change {
  kind: "approval_expired";
  approvalId: string;
  callId: string;
}

const EXPIRED = { code: "expired", message: "Nobody decided in time." } as const;

export const approvalExpired: ChangeKind<ApprovalExpired> = {
  kind: "approval_expired",
  events: ({ approvalId, callId }) => [
    { type: "approval.expired", data: { approval_id: approvalId, call_id: callId } },
  ],
  approvals: ({ approvalId }) => [approvalId],
  apply(snapshot, { approvalId, callId, at }) {
    const { stepId } = moveApproval(snapshot, approvalId, { to: "expired", at });
    moveCall(snapshot, callId, { to: "expired", at }).error = { ...EXPIRED };
    resumeStep(snapshot, stepId);
  },
};

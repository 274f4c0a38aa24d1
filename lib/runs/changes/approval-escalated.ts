/** More people may decide, because the time that the rule gives has passed; once only. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { approvalOf } from "@/lib/runs/changes/move";

export interface ApprovalEscalated extends Change {
  kind: "approval_escalated";
  approvalId: string;
  callId: string;
  to: string[];
}

export const approvalEscalated: ChangeKind<ApprovalEscalated> = {
  kind: "approval_escalated",
  events: ({ approvalId, callId, to }) => [
    { type: "approval.escalated", data: { approval_id: approvalId, call_id: callId, to } },
  ],
  approvals: ({ approvalId }) => [approvalId],
  apply(snapshot, { approvalId, to, at }) {
    const approval = approvalOf(snapshot, approvalId);
    approval.escalatedAt = at;
    approval.version += 1;
    // Without named approvers everyone may already decide.
    if (approval.approvers.length > 0) approval.approvers = [...new Set([...approval.approvers, ...to])];
  },
};

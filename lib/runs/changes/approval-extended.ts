/** A person gives everyone more time to decide. */
import type { Actor } from "@/lib/people/rules/actor";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { approvalOf } from "@/lib/runs/changes/move";

export interface ApprovalExtended extends Change {
  kind: "approval_extended";
  approvalId: string;
  callId: string;
  expiresAt: string;
  actor: Actor;
}

export const approvalExtended: ChangeKind<ApprovalExtended> = {
  kind: "approval_extended",
  events: ({ approvalId, callId, expiresAt, actor }) => [
    { type: "approval.extended", actor, data: { approval_id: approvalId, call_id: callId, expires_at: expiresAt } },
  ],
  approvals: ({ approvalId }) => [approvalId],
  apply(snapshot, { approvalId, expiresAt }) {
    const approval = approvalOf(snapshot, approvalId);
    approval.expiresAt = expiresAt;
    approval.version += 1;
  },
};

/**
 * A waiting approval gets a stricter rule than it was asked under. Approvals of people who may not decide under that
 * rule stay on record but no longer count: `approvals` is how many still do.
 */
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { approvalOf } from "@/lib/runs/changes/move";

export interface ApprovalTightened extends Change {
  kind: "approval_tightened";
  approvalId: string;
  callId: string;
  rule: ApprovalRule;
  /** Approvers of the rule, and those whom an escalation has named. */
  approvers: string[];
  approvals: number;
}

export const approvalTightened: ChangeKind<ApprovalTightened> = {
  kind: "approval_tightened",
  events({ approvalId, callId, rule, approvers }) {
    const data = {
      approval_id: approvalId,
      call_id: callId,
      min_approvals: rule.minApprovals,
      approvers,
      named: rule.approvers,
      self_approval: rule.selfApproval,
    };
    return [{ type: "approval.tightened", data }];
  },
  approvals: ({ approvalId }) => [approvalId],
  apply(snapshot, { approvalId, rule, approvers, approvals }) {
    const approval = approvalOf(snapshot, approvalId);
    const { minApprovals, selfApproval, edit: editable } = rule;
    Object.assign(approval, { rule, approvers, approvals, minApprovals, selfApproval, editable });
    approval.version += 1;
  },
};

/** The question that a judged call becomes. */
import type { ApprovalRule } from "@/lib/domain/policy/approval-rule";
import { createId } from "@/lib/ids";
import type { NewApproval } from "@/lib/store/transitions/record-turn";

export interface Question {
  callId: string;
  stepId: string;
  workflow: string;
  agent: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  digest: string;
}

export function toApproval(question: Question, rule: ApprovalRule, at: Date): NewApproval {
  const after = (ms: number) => new Date(at.getTime() + ms);
  return {
    id: createId("approval"),
    ...question,
    rule,
    approvers: rule.approvers,
    minApprovals: rule.minApprovals,
    selfApproval: rule.selfApproval,
    editable: rule.edit,
    onReject: rule.onReject,
    timeoutBehavior: rule.timeoutBehavior,
    escalateTo: rule.escalate?.to ?? [],
    expiresAt: rule.timeoutMs === null ? null : after(rule.timeoutMs),
    escalateAt: rule.escalate ? after(rule.escalate.afterMs) : null,
  };
}

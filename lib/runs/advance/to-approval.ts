/** The question that a judged call becomes. */
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import { type AskedQuestion, digestQuestion } from "@/lib/approvals/rules/question-digest";
import { createId } from "@/lib/ids";
import { columnsOfRule } from "@/lib/runs/changes/kept-call";
import type { NewApproval } from "@/lib/runs/changes/turn-recorded";

/** Everything that the question is about and shows, except its own id. */
export interface Question extends Omit<AskedQuestion, "approvalId"> {
  /** Of the arguments. */
  digest: string;
}

export function toApproval(question: Question, rule: ApprovalRule, at: Date): NewApproval {
  const after = (ms: number) => new Date(at.getTime() + ms);
  const id = createId("approval");
  const { callId, stepId, workflow, agent, server, tool, danger, summary, digest } = question;
  return {
    id,
    callId,
    stepId,
    workflow,
    agent,
    server,
    tool,
    danger,
    summary,
    digest,
    questionDigest: digestQuestion({ ...question, approvalId: id }),
    rule,
    ...columnsOfRule(rule),
    expiresAt: rule.timeoutMs === null ? null : after(rule.timeoutMs).toISOString(),
    escalateAt: rule.escalate ? after(rule.escalate.afterMs).toISOString() : null,
  };
}

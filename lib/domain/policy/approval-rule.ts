/** What a person is asked, and what each answer will do: the rule that is frozen into an approval. */
import type { RequireApproval } from "@/lib/config/permission-schema";

export interface ApprovalRule {
  onReject: RequireApproval["on_reject"];
  /** Null: the call waits until somebody decides. */
  timeoutMs: number | null;
  timeoutBehavior: RequireApproval["timeout_behavior"];
  /** Roles or groups; empty: any reviewer. */
  approvers: string[];
  minApprovals: number;
  selfApproval: boolean;
  edit: boolean;
  reason: string | null;
  rejectReasons: string[];
  escalate: { afterMs: number; to: string[] } | null;
}

/** What a later version of the project asks of a call beyond what people were asked for. */
export interface StricterRule {
  /** Why the call would be refused in the moment of sending, whatever people say; null when it is for them to decide. */
  refusal: string | null;
  /** Satisfies both versions. */
  rule: ApprovalRule;
  /** Of the rule, and those whom an escalation has named. */
  approvers: string[];
}

/** For calls that are asked because of their danger or of a rule, and not by an allowlist entry of their own. */
export const DEFAULT_APPROVAL_RULE: Readonly<ApprovalRule> = Object.freeze({
  onReject: "fail",
  timeoutMs: null,
  timeoutBehavior: "fail",
  approvers: [],
  minApprovals: 1,
  selfApproval: false,
  edit: true,
  reason: null,
  rejectReasons: [],
  escalate: null,
});

export function toApprovalRule(required: RequireApproval): ApprovalRule {
  return {
    onReject: required.on_reject,
    timeoutMs: required.timeout ?? null,
    timeoutBehavior: required.timeout_behavior,
    approvers: [...(required.approvers ?? [])],
    minApprovals: required.min_approvals,
    selfApproval: required.self_approval,
    edit: required.edit,
    reason: required.reason ?? null,
    rejectReasons: [...(required.reject_reasons ?? [])],
    escalate: required.escalate ? { afterMs: required.escalate.after, to: [...required.escalate.to] } : null,
  };
}

/**
 * One rule that is at least as strict as both. What concerns people (who decides, how many, how long) takes the
 * stricter of the two; where both name people, the first one's are kept, because two groups cannot be required at once.
 * What a rejection does to the step is the business of the agent that asked: the last one's.
 */
export function combineApprovalRules(outer: ApprovalRule, inner: ApprovalRule): ApprovalRule {
  return {
    onReject: inner.onReject,
    timeoutMs: outer.timeoutMs === null ? inner.timeoutMs : Math.min(outer.timeoutMs, inner.timeoutMs ?? outer.timeoutMs),
    timeoutBehavior: outer.timeoutBehavior === "fail" ? "fail" : inner.timeoutBehavior,
    approvers: outer.approvers.length > 0 ? outer.approvers : inner.approvers,
    minApprovals: Math.max(outer.minApprovals, inner.minApprovals),
    selfApproval: outer.selfApproval && inner.selfApproval,
    edit: outer.edit && inner.edit,
    reason: outer.reason ?? inner.reason,
    rejectReasons: [...new Set([...outer.rejectReasons, ...inner.rejectReasons])],
    escalate: outer.escalate ?? inner.escalate,
  };
}

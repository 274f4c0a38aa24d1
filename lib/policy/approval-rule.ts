/** What a person is asked, and what each answer will do: the rule that is frozen into an approval. */
import { type Role, ROLES, roleAllows } from "@/lib/people/rules/roles";
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

/** What a later project version requires of a call beyond what people were asked for. */
export interface StricterRule {
  /** Why the call would be refused when it is sent, whatever people decide; null when they decide. */
  refusal: string | null;
  /** Satisfies both versions. */
  rule: ApprovalRule;
  /** Those of the rule, and those named by an escalation. */
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
 * Merges two rules into one. What concerns people (who decides, how many, how long) is at least as strict as both, with
 * one exception: where both name people and no name is part of both, the outer rule's are kept, because a rule cannot
 * say "in this group and in that one". What a rejection does to the step is up to the agent that asked: the last one's.
 */
export function combineApprovalRules(outer: ApprovalRule, inner: ApprovalRule): ApprovalRule {
  return {
    onReject: inner.onReject,
    timeoutMs:
      outer.timeoutMs === null ? inner.timeoutMs : Math.min(outer.timeoutMs, inner.timeoutMs ?? outer.timeoutMs),
    timeoutBehavior: outer.timeoutBehavior === "fail" ? "fail" : inner.timeoutBehavior,
    approvers: narrow(outer.approvers, inner.approvers) ?? outer.approvers,
    minApprovals: Math.max(outer.minApprovals, inner.minApprovals),
    selfApproval: outer.selfApproval && inner.selfApproval,
    edit: outer.edit && inner.edit,
    reason: outer.reason ?? inner.reason,
    rejectReasons: [...new Set([...outer.rejectReasons, ...inner.rejectReasons])],
    escalate: combineEscalations(outer, inner),
  };
}

/** An escalation lets more people decide, so those named by one rule alone are not added by the other's escalation. */
function combineEscalations(outer: ApprovalRule, inner: ApprovalRule): ApprovalRule["escalate"] {
  const [escalate, other] = outer.escalate ? [outer.escalate, inner] : [inner.escalate, outer];
  if (!escalate || other.approvers.length === 0) return escalate;
  const to =
    narrow(escalate.to, [...other.approvers, ...(other.escalate?.to ?? [])]) ??
    (escalate === outer.escalate ? escalate.to : []);
  return to.length > 0 ? { ...escalate, to } : null;
}

/** Names of people who are in both lists; an empty list means everybody. Null when no name expresses that. */
function narrow(outer: readonly string[], inner: readonly string[]): string[] | null {
  if (outer.length === 0 || inner.length === 0) return [...outer, ...inner];
  const both = outer.flatMap((left) => inner.flatMap((right) => meet(left, right) ?? []));
  return both.length > 0 ? [...new Set(both)] : null;
}

/** Roles that everyone who may decide has: beside a group they add nothing. */
const OF_ALL_DECIDERS: readonly string[] = ROLES.slice(
  0,
  ROLES.findIndex((role) => roleAllows(role, "approvals:decide")) + 1,
);

/** A role includes every role above it. */
function meet(left: string, right: string): string | null {
  if (left === right || OF_ALL_DECIDERS.includes(left)) return right;
  if (OF_ALL_DECIDERS.includes(right)) return left;
  const [first, second] = [ROLES.indexOf(left as Role), ROLES.indexOf(right as Role)];
  return first < 0 || second < 0 ? null : first > second ? left : right;
}

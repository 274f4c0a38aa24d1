import { expect, test } from "vitest";
import { type ApprovalRule, combineApprovalRules, DEFAULT_APPROVAL_RULE } from "./approval-rule";

const rule = (approvers: string[], escalateTo?: string[]): ApprovalRule => ({
  ...DEFAULT_APPROVAL_RULE,
  approvers,
  escalate: escalateTo ? { afterMs: 1_000, to: escalateTo } : null,
});

test.each<[string, string[], string[], string[]]>([
  ["nobody named twice", [], [], []],
  ["named by the outer one", ["finance"], [], ["finance"]],
  ["named by the inner one", [], ["finance"], ["finance"]],
  ["the one group that both name", ["finance", "legal"], ["desk", "finance"], ["finance"]],
  ["the higher of two roles", ["operator"], ["admin"], ["admin"]],
  ["the higher of two roles, in the other order", ["admin"], ["operator"], ["admin"]],
  ["a group rather than the role that all of its deciders have", ["reviewer"], ["finance"], ["finance"]],
  ["the same in the other order", ["finance"], ["viewer"], ["finance"]],
  ["the outer one's where no name lies within both", ["finance"], ["legal"], ["finance"]],
  ["the outer one's, for a role and a group", ["operator"], ["finance"], ["operator"]],
])("of two rules, approvers are %s", (_what, outer, inner, expected) => {
  expect(combineApprovalRules(rule(outer), rule(inner)).approvers).toEqual(expected);
});

test.each<[string, ApprovalRule, ApprovalRule, string[] | null]>([
  [
    "of the inner rule does not let in whom the outer one does not name",
    rule(["finance"]),
    rule(["desk"], ["leads"]),
    null,
  ],
  [
    "of the inner rule lets in whom the outer one names",
    rule(["leads", "finance"]),
    rule(["desk"], ["leads"]),
    ["leads"],
  ],
  ["of the inner rule stands where the outer one names nobody", rule([]), rule(["desk"], ["leads"]), ["leads"]],
  ["of the outer rule stands", rule(["desk"], ["leads"]), rule([]), ["leads"]],
  ["of both lets in whom both come to mean", rule(["desk"], ["leads", "admin"]), rule(["desk"], ["leads"]), ["leads"]],
])("an escalation %s", (_what, outer, inner, to) => {
  expect(combineApprovalRules(outer, inner).escalate?.to ?? null).toEqual(to);
});

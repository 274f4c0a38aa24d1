/** The policy's answer to a call without arguments, as meta mode tells it. Pure. */
import type { PolicyDecision } from "@/lib/policy/policy-answer";
import type { MetaPolicy } from "./meta-source";

/** `dependsOnArguments`: whether a rule with `when` is about this tool. */
export function toMetaPolicy(decision: PolicyDecision, dependsOnArguments: boolean): MetaPolicy {
  const base = { approvers: [], minApprovals: 1, dependsOnArguments };
  switch (decision.decision) {
    case "allow":
      return { ...base, decision: "allow", reason: "the policy allows it" };
    case "deny":
      return { ...base, decision: "deny", reason: decision.reason };
    case "ask": {
      const { approvers, minApprovals } = decision.rule;
      return { ...base, decision: "ask", reason: decision.reason, approvers, minApprovals };
    }
  }
}

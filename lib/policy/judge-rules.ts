/** The rules layer, and the part of it that an agent cannot waive: what policy.yaml asks or denies. */
import { DEFAULT_APPROVAL_RULE } from "./approval-rule";
import { evaluateWhen, type WhenResult } from "./evaluate-when";
import { type LayerAnswer, strictestAnswer } from "./policy-answer";
import type { PlacedRule, PolicyCall } from "./policy-input";
import { formatToolName, matchesTool } from "./tool-pattern";

/** Highest priority first, the order of the file among equals; the first rule that matches answers. */
export function judgeRules(
  rules: readonly PlacedRule[] | undefined,
  call: PolicyCall,
  allowing: "project_allow" | "agent_allow",
): LayerAnswer | null {
  for (const rule of (rules ?? []).toSorted((left, right) => right.priority - left.priority)) {
    if (!matchesTool(rule.tool, call, rule.decision === "allow" ? allowing : "restrict")) continue;
    const when: WhenResult = rule.when === undefined ? { holds: "yes" } : evaluateWhen(rule.when, call.arguments);
    if (when.holds === "no") continue;
    return answer(rule, call, when.holds === "unclear" ? when.reason : null);
  }
  return null;
}

/** An agent's rule cannot soften what the project's rules say, so the stricter of two answers applies. */
export function judgeBothRules(
  project: readonly PlacedRule[] | undefined,
  agent: readonly PlacedRule[] | undefined,
  call: PolicyCall,
): LayerAnswer | null {
  return strictestAnswer(
    [judgeRules(project, call, "project_allow"), judgeRules(agent, call, "agent_allow")].filter(
      (result) => result !== null,
    ),
  );
}

/** A rule that cannot be evaluated never allows: it denies if it was to deny, and asks otherwise. */
function answer(rule: PlacedRule, call: PolicyCall, unclear: string | null): LayerAnswer {
  const source = rule.source;
  const said = rule.reason ?? `the rule for "${rule.tool}" says ${rule.decision}`;
  const reason = unclear === null ? said : `${said}; its condition is unclear: ${unclear}`;
  if (rule.decision === "deny")
    return {
      outcome: "deny",
      code: "denied_by_policy",
      reason: `Tool '${formatToolName(call)}' is denied by a rule: ${reason}`,
      source,
    };
  if (rule.decision === "allow" && unclear === null) return { outcome: "allow", reason, source };
  return { outcome: "ask", reason, rule: { ...DEFAULT_APPROVAL_RULE, reason: rule.reason ?? null }, source };
}

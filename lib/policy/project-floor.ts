/** What policy.yaml states and an agent's own grants cannot waive: the agent can only tighten it. */
import type { DangerLevel } from "@/lib/config/permission-schema";
import type { SourceLocation } from "@/lib/config/source-location";
import { isAtLeast } from "@/lib/policy/danger";
import { DEFAULT_APPROVAL_RULE } from "./approval-rule";
import { judgeBudget } from "./judge-budget";
import { judgeRules } from "./judge-rules";
import type { LayerInput } from "./layer-input";
import type { LayerAnswer } from "./policy-answer";
import type { PermissionSet } from "./policy-input";
import { formatToolName, matchesTool } from "./tool-pattern";

type FloorPart = "budget" | "deny" | "rules" | "strict" | "ask_from";

/** Null when the project does not restrict the call. Only fields that policy.yaml states count. */
export function projectFloor(input: LayerInput, parts: readonly FloorPart[]): LayerAnswer | null {
  for (const part of parts) {
    const answer = judgePart(input, part);
    if (answer && (answer.outcome === "deny" || answer.outcome === "ask")) return answer;
  }
  return null;
}

function judgePart({ call, project, context, danger }: LayerInput, part: FloorPart): LayerAnswer | null {
  switch (part) {
    case "budget":
      return project.budgetUsd ? judgeBudget(context.budget, [project.budgetUsd]) : null;
    case "deny": {
      const denied = project.deny?.find((entry) => matchesTool(entry.pattern, call, "restrict"));
      return denied
        ? {
            outcome: "deny",
            code: "denied_by_policy",
            reason: `Tool '${formatToolName(call)}' is explicitly disallowed`,
            source: denied.source,
          }
        : null;
    }
    case "rules":
      return judgeRules(project.rules, call, "project_allow");
    case "strict":
      return project.mode?.value === "strict"
        ? ask("the project's mode is strict, which an agent's own allow cannot waive", project.mode.source)
        : null;
    case "ask_from":
      return project.askFrom && isAtLeast(danger.level, project.askFrom.value)
        ? ask(
            `danger is ${danger.level} (${danger.reason}); the project asks from ${project.askFrom.value} up`,
            project.askFrom.source,
          )
        : null;
  }
}

function ask(reason: string, source: SourceLocation | undefined): LayerAnswer {
  return { outcome: "ask", rule: { ...DEFAULT_APPROVAL_RULE }, reason, source };
}

/** The lower of what project and agent state; medium when neither does. */
export function askFrom(
  project: PermissionSet,
  agent: PermissionSet,
): { level: DangerLevel; source?: SourceLocation | undefined } {
  const stated = [project.askFrom, agent.askFrom].filter((entry) => entry !== undefined);
  const [first, second] = stated;
  if (!first) return { level: "medium" };
  const lowest = second && isAtLeast(first.value, second.value) ? second : first;
  return { level: lowest.value, source: lowest.source };
}

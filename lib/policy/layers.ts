/** The ten layers, one function each. The first that does not pass has answered; their order is in `judge-scope.ts`. */
import { isClientWorkflow, ownerKind, shownOwner } from "@/lib/config/profile-parts";
import { isAtLeast } from "@/lib/policy/danger";
import { combineApprovalRules, DEFAULT_APPROVAL_RULE, toApprovalRule } from "./approval-rule";
import { evaluateWhen } from "./evaluate-when";
import { judgeBudget } from "./judge-budget";
import { judgeBothRules, judgeRules } from "./judge-rules";
import type { LayerInput } from "./layer-input";
import type { LayerAnswer } from "./policy-answer";
import type { Grant } from "./policy-input";
import { askFrom, projectFloor } from "./project-floor";
import { formatToolName, matchesTool } from "./tool-pattern";

const pass = (reason: string): LayerAnswer => ({ outcome: "pass", reason });

/** What a client is refused with names its profile, as its person knows it. */
const nameOwner = ({ agent }: LayerInput["scope"]): string =>
  isClientWorkflow(agent) ? shownOwner(agent) : `agent '${agent}'`;

export function judgeAllowlist({ call, scope, grants }: LayerInput): LayerAnswer {
  const name = formatToolName(call);
  const [grant] = grants;
  if (!grant) {
    return {
      outcome: "deny",
      code: "tool_not_permitted",
      reason: `Tool '${name}' is not on the allowlist of ${nameOwner(scope)}`,
      source: findAllowlist(call, scope)?.source,
    };
  }
  if (scope.only !== null && !scope.only.some((entry) => matchesTool(entry.pattern, call, "project_allow"))) {
    return {
      outcome: "deny",
      code: "tool_not_permitted",
      reason: `Tool '${name}' is not among the tools that ${nameOwner(scope)} was given`,
      source: scope.only[0]?.source,
    };
  }
  return { outcome: "pass", reason: `allowed to be called by "${grant.pattern}"`, source: grant.source };
}

/** The first entry of the allowlist that lacks the tool, to cite; none where the agent does not have the server. */
const findAllowlist = (call: LayerInput["call"], scope: LayerInput["scope"]): Grant | undefined =>
  scope.servers.find(({ definition }) => definition === call.definition)?.grants[0];

/** The project's restrictions apply even here unless the project itself says bypass: an agent can only tighten. */
export function judgeBypass(input: LayerInput): LayerAnswer {
  const { modes, project, scope, context } = input;
  if (!modes.bypass) return pass("mode is not bypass");
  if (context.deployment.allowBypass !== true) return pass("mode bypass is not allowed by this deployment");
  const source = scope.permissions.mode?.source ?? project.mode?.source;
  if (project.mode === undefined) {
    const floor = projectFloor(input, ["budget", "deny", "rules", "ask_from"]);
    if (floor)
      return pass(`mode bypass of the ${ownerKind(scope.agent)} cannot waive what the project says: ${floor.reason}`);
  }
  return {
    outcome: "allow",
    reason: "mode bypass: everything on the allowlist runs without asking",
    source,
    budgetUsd: project.mode ? undefined : project.budgetUsd?.value,
  };
}

export function judgeBudgetLayer({ context, project, scope }: LayerInput): LayerAnswer {
  return judgeBudget(context.budget, [project.budgetUsd, scope.permissions.budgetUsd]);
}

export function judgePlan({ modes, danger, call, project, scope }: LayerInput): LayerAnswer {
  if (!modes.plan) return pass("mode is not plan");
  if (danger.readOnly) return pass("mode plan: the tool is declared read-only");
  const source = (scope.permissions.mode?.value === "plan" ? scope.permissions.mode : project.mode)?.source;
  return {
    outcome: "deny",
    code: "plan_mode",
    reason: `Plan mode: only read-only tools allowed (tried: ${formatToolName(call)})`,
    source,
  };
}

export function judgeDeny({ call, project, scope }: LayerInput): LayerAnswer {
  const denied = [...(project.deny ?? []), ...(scope.permissions.deny ?? [])].find((entry) =>
    matchesTool(entry.pattern, call, "restrict"),
  );
  if (!denied) return pass("not denied by name");
  return {
    outcome: "deny",
    code: "denied_by_policy",
    reason: `Tool '${formatToolName(call)}' is explicitly disallowed`,
    source: denied.source,
  };
}

/**
 * Every best-matching entry counts: of two that are equally specific, one that asks is enough. Asking does not waive
 * the project's rules.
 */
export function judgeRequireApproval(input: LayerInput): LayerAnswer {
  const { call, grants } = input;
  const asking = grants.flatMap((grant) => {
    const asked = whyAsked(grant, call.arguments);
    return grant.requireApproval && asked !== null
      ? [{ rule: toApprovalRule(grant.requireApproval), asked, source: grant.source }]
      : [];
  });
  const [first] = asking;
  if (!first)
    return pass(
      grants.some((grant) => grant.requireApproval)
        ? "require_approval: its condition does not hold"
        : "no require_approval",
    );
  const rule = asking.map((entry) => entry.rule).reduce(combineApprovalRules);
  const floor = projectFloor(input, ["rules"]);
  if (floor?.outcome === "deny") return floor;
  if (floor?.outcome === "ask")
    return {
      outcome: "ask",
      rule: combineApprovalRules(floor.rule, rule),
      reason: `${first.asked}; the project asks as well: ${floor.reason}`,
      source: first.source,
    };
  return { outcome: "ask", rule, reason: first.asked, source: first.source };
}

/** Null when this entry does not ask for this call. */
function whyAsked({ pattern, requireApproval }: Grant, callArguments: unknown): string | null {
  if (!requireApproval) return null;
  const said = requireApproval.reason ?? `require_approval of "${pattern}"`;
  if (requireApproval.when === undefined) return said;
  const when = evaluateWhen(requireApproval.when, callArguments);
  if (when.holds === "no") return null;
  return when.holds === "unclear" ? `${said}; asked because ${when.reason}` : `${said} (when ${requireApproval.when})`;
}

/** An exact entry whose `when` does not hold counts as one without approval: that is what its author intended. */
export function judgeAllow(input: LayerInput): LayerAnswer {
  const { call, project, scope, grants, modes } = input;
  const byProject = project.allow?.find((entry) => matchesTool(entry.pattern, call, "project_allow"));
  const byAgent = scope.permissions.allow?.find((entry) => matchesTool(entry.pattern, call, "agent_allow"));
  if (byProject && (byAgent || !scope.permissions.allow)) {
    return {
      outcome: "allow",
      reason: `permissions.allow has "${byProject.pattern}"`,
      source: (byAgent ?? byProject).source,
    };
  }
  if (byAgent && !project.allow) {
    const floor = projectFloor(input, ["rules", "strict", "ask_from"]);
    return floor ?? { outcome: "allow", reason: `permissions.allow has "${byAgent.pattern}"`, source: byAgent.source };
  }
  const [grant] = grants;
  if (!grant || grant.pattern.endsWith("*")) return pass("no exact name on the allowlist, not in permissions.allow");
  if (modes.strict) return pass("mode strict: an exact name on the allowlist is not enough");
  return (
    projectFloor(input, ["rules"]) ?? {
      outcome: "allow",
      reason: `the allowlist names "${grant.pattern}" exactly`,
      source: grant.source,
    }
  );
}

export function judgeRulesLayer(input: LayerInput): LayerAnswer {
  const { project, scope, call } = input;
  const answer = judgeBothRules(project.rules, scope.permissions.rules, call);
  if (!answer) return pass("no rule fits");
  const isAgentsAlone = answer.outcome === "allow" && judgeRules(project.rules, call, "project_allow") === null;
  return (isAgentsAlone ? projectFloor(input, ["strict", "ask_from"]) : null) ?? answer;
}

export function judgeDanger({ danger, modes, project, scope }: LayerInput): LayerAnswer {
  const { level, source } = askFrom(project, scope.permissions);
  if (isAtLeast(danger.level, level)) {
    return {
      outcome: "ask",
      rule: { ...DEFAULT_APPROVAL_RULE },
      reason: `danger is ${danger.level} (${danger.reason}); asked from ${level} up`,
      source,
    };
  }
  const reason = `danger is ${danger.level} (${danger.reason}), below ${level}`;
  return modes.strict ? pass(`${reason}; not enough in mode strict`) : { outcome: "allow", reason, source };
}

export function judgeStrict({ modes, project, scope }: LayerInput): LayerAnswer {
  const source = [scope.permissions.mode, project.mode].find((mode) => mode?.value === "strict")?.source;
  const reason = modes.strict ? "mode strict: whatever is left is asked" : "nothing answered";
  return { outcome: "ask", rule: { ...DEFAULT_APPROVAL_RULE }, reason, source };
}

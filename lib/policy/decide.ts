/**
 * The one answer to "may this call be made": allow, deny or ask, with every layer it passed. Pure and total: it never
 * throws, and whatever goes wrong inside it refuses the call.
 */
import { assessDanger, type Danger } from "@/lib/policy/danger";
import { combineApprovalRules, DEFAULT_APPROVAL_RULE } from "./approval-rule";
import { judgeScope, type FinalAnswer } from "./judge-scope";
import { judgeTool } from "./judge-tool";
import { type Judgement, lowestBudget, type PolicyDecision, strictestAnswer, type TraceEntry } from "./policy-answer";
import type { PolicyCall, PolicyContext } from "./policy-input";

const UNKNOWN_DANGER: Danger = {
  level: "high",
  readOnly: false,
  destructive: false,
  reason: "nothing is known about the tool",
};

export function decide(call: PolicyCall, context: PolicyContext): PolicyDecision {
  try {
    return judge(call, context);
  } catch {
    // The cause may quote arguments, so it is not repeated here.
    const reason = "The policy could not be evaluated for this call, so it was refused";
    return {
      decision: "deny",
      code: "policy_failed",
      reason,
      danger: UNKNOWN_DANGER,
      trace: [{ layer: "internal", outcome: "deny", reason }],
      budgetUsd: null,
    };
  }
}

function judge(call: PolicyCall, context: PolicyContext): PolicyDecision {
  if ([call.server, call.definition, call.tool].some((name) => typeof name !== "string"))
    throw new Error("a call names a server and a tool");
  // What a server said before it became unreachable does not count.
  const danger = assessDanger(
    context.tool.listing === "listed" ? context.tool.annotations : undefined,
    context.tool.facts,
  );
  const judged = context.scopes.map((scope) => judgeScope({ call, context, danger }, scope));
  const trace = judged.flatMap((result) => result.trace);
  const judgement = { danger, trace, budgetUsd: lowestBudget(judged.map((result) => result.budgetUsd)) };
  const layered = combine(judged.map((result) => result.answer));
  if (layered.outcome === "deny") return toDecision(layered, judgement);

  const demands = judgeTool(call, context);
  trace.push(
    ...demands.map(({ layer, answer }): TraceEntry => ({
      layer,
      outcome: answer.outcome,
      reason: answer.reason,
      source: answer.source,
    })),
  );
  const demanded = strictestAnswer(demands.map((demand) => demand.answer));
  return toDecision(demanded && demanded.outcome !== "pass" ? combine([layered, demanded]) : layered, judgement);
}

/** All agents of the chain must agree: the strictest answer holds, and several that ask become one question. */
function combine(answers: readonly FinalAnswer[]): FinalAnswer {
  const strictest = strictestAnswer(answers);
  if (!strictest) throw new Error("nobody asks for this call");
  if (strictest.outcome !== "ask") return strictest;
  const asking = answers.filter((answer) => answer.outcome === "ask");
  // A default rule states nothing about people, so it must not weaken a stated one.
  const stated = asking.map((answer) => answer.rule).filter((rule) => !isDefault(rule));
  const rule = stated.length > 0 ? stated.reduce(combineApprovalRules) : strictest.rule;
  return { ...strictest, rule };
}

function isDefault(rule: object): boolean {
  return JSON.stringify(rule) === DEFAULT_RULE_TEXT;
}

const DEFAULT_RULE_TEXT = JSON.stringify(DEFAULT_APPROVAL_RULE);

function toDecision(answer: FinalAnswer, judgement: Judgement): PolicyDecision {
  if (answer.outcome === "allow") return { decision: "allow", ...judgement };
  if (answer.outcome === "deny") return { decision: "deny", reason: answer.reason, code: answer.code, ...judgement };
  return { decision: "ask", reason: answer.reason, rule: answer.rule, ...judgement };
}

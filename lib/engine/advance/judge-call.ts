/** Judges one call that a model asks for, before anything is recorded of it: by the run's own project, and by today's if that is stricter. */
import { DANGER_LEVELS } from "@/lib/config/permission-schema";
import type { Project } from "@/lib/config/project";
import { assessDanger, type StatedFacts } from "@/lib/domain/danger";
import { type ApprovalRule, combineApprovalRules } from "@/lib/domain/policy/approval-rule";
import { toAgentScope, toProjectPermissions, toScopeUnder } from "@/lib/domain/policy/agent-scope";
import { decide } from "@/lib/domain/policy/decide";
import { lowestBudget, type PolicyDecision, type TraceEntry } from "@/lib/domain/policy/policy-answer";
import type { AgentScope, PermissionSet, PolicyCall, PolicyContext } from "@/lib/domain/policy/policy-input";
import { hidesText } from "@/lib/domain/tool-text";
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import type { RunContext } from "@/lib/engine/advance/run-context";

export interface WantedCall {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

export type JudgedCall = PolicyDecision & {
  /** Today's project asks or refuses more than the run's own. */
  stricterNow: boolean;
};

export function judgeCall(context: RunContext, work: AgentAtWork, tools: AgentTools, call: WantedCall): JudgedCall {
  const own = decide(toPolicyCall(tools, call), toContext(context, tools, call, { scopes: work.scopes, project: toProjectPermissions(context.loaded.project) }));
  const current = context.deps.projects.current().project;
  if (current.hash === context.loaded.project.hash) return { ...own, stricterNow: false };
  const today = decide(toPolicyCall(tools, call), toContext(context, tools, call, ofToday(current, { scopes: work.scopes, agent: work.agent.name }, call)));
  return stricter(own, today);
}

/** Whose rules hold: the agents', outermost first, and the project's, with the facts that the server's file states of the tool. */
interface Rules {
  scopes: readonly AgentScope[];
  project: PermissionSet;
  facts?: (StatedFacts & { cost_usd?: number | undefined }) | undefined;
}

/**
 * An agent that is gone from the project has no rules of today; those of its run still hold, under what the project says today. Of two that are
 * both there, the upper one's file says what the lower one is given, and whether it is called at all.
 */
export function ofToday(current: Project, work: { scopes: readonly AgentScope[]; agent: string }, call: WantedCall): Rules {
  const agents = work.scopes.map((scope) => (Object.hasOwn(current.agents, scope.agent) ? current.agents[scope.agent] : undefined));
  const scopes = work.scopes.map((scope, place) => {
    const [agent, parent] = [agents[place], agents[place - 1]];
    if (!agent) return scope;
    return parent ? toScopeUnder(current, parent, agent) : { ...toAgentScope(current, agent), only: scope.only };
  });
  const server = current.agents[work.agent]?.servers.find((entry) => entry.name === call.server)?.server;
  return { scopes, project: toProjectPermissions(current), facts: server?.definition.tools?.[call.tool] };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

const NOW: TraceEntry = { layer: "internal", outcome: "pass", reason: "The project's rules are stricter now than when the run started; today's hold" };

/** Of two answers the stricter, under the lower budget; two questions become one that satisfies both. */
function stricter(own: PolicyDecision, today: PolicyDecision): JudgedCall {
  const danger = DANGER_LEVELS.indexOf(today.danger.level) > DANGER_LEVELS.indexOf(own.danger.level) ? today.danger : own.danger;
  const budgetUsd = lowestBudget([own.budgetUsd, today.budgetUsd]);
  if (own.decision === "ask" && today.decision === "ask") {
    const rule = combineApprovalRules(today.rule, own.rule);
    if (coversRule(own.rule, rule)) return { ...own, danger, budgetUsd, stricterNow: false };
    return { ...own, danger, budgetUsd, rule, trace: [NOW, ...own.trace, ...today.trace], stricterNow: true };
  }
  if (STRICTNESS[today.decision] <= STRICTNESS[own.decision]) return { ...own, danger, budgetUsd, stricterNow: false };
  return { ...today, danger, budgetUsd, trace: [NOW, ...today.trace], stricterNow: true };
}

/** Whether people who were asked by `asked` have granted what `wanted` demands: enough of them, and only such as it names. */
export function coversRule(asked: ApprovalRule, wanted: ApprovalRule): boolean {
  const isNamed = wanted.approvers.length === 0 || (asked.approvers.length > 0 && asked.approvers.every((name) => wanted.approvers.includes(name)));
  return isNamed && asked.minApprovals >= wanted.minApprovals && (wanted.selfApproval || !asked.selfApproval);
}

function toPolicyCall(tools: AgentTools, call: WantedCall): PolicyCall {
  return { server: call.server, definition: tools.servers.get(call.server)?.entry.server.name ?? call.server, tool: call.tool, arguments: call.arguments };
}

function toContext(context: RunContext, tools: AgentTools, call: WantedCall, rules: Rules): PolicyContext {
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const facts = rules.facts ?? server?.entry.server.definition.tools?.[call.tool] ?? {};
  const { run } = context.memory;
  return {
    scopes: rules.scopes,
    project: rules.project,
    tool: {
      listing: definition ? "listed" : server && !server.reachable ? "unreachable" : "unlisted",
      annotations: definition?.annotations,
      facts,
      pin: server && definition ? server.pins(definition) : "new",
      hidesText: hidesText(definition ?? null),
    },
    hasLock: tools.hasLock,
    budget: { usedUsd: run.costUsd, toolsUsedUsd: context.memory.toolsUsd, estimatedUsd: facts.cost_usd ?? 0, limitUsd: run.costBudgetUsd },
    deployment: context.deps.deployment,
  };
}

/** Whether a call may be sent again when nobody knows what became of it: only if the tool is said to be read-only or idempotent, and the YAML does not say otherwise. */
export function isRetrySafe(tools: AgentTools, call: WantedCall): boolean {
  const server = tools.servers.get(call.server);
  const declared = server?.definitions.get(call.tool)?.annotations;
  const facts = server?.entry.server.definition.tools?.[call.tool];
  if (assessDanger(declared, facts ?? {}).readOnly) return true;
  const stated = facts?.annotations?.idempotentHint;
  return stated ?? declared?.idempotentHint === true;
}

/**
 * Judges one call of a model before anything about it is recorded: by the run's own project, and by today's if that is
 * stricter.
 */
import { DANGER_LEVELS } from "@/lib/config/permission-schema";
import type { Project } from "@/lib/config/project";
import { assessDanger } from "@/lib/policy/danger";
import { type ApprovalRule, combineApprovalRules } from "@/lib/policy/approval-rule";
import { toAgentScope, toScopeUnder } from "@/lib/policy/agent-scope";
import { type CallInProject, factsOf, judgeByProject } from "@/lib/policy/judge-by-project";
import { lowestBudget, type PolicyDecision, type TraceEntry } from "@/lib/policy/policy-answer";
import type { AgentScope } from "@/lib/policy/policy-input";
import { hidesText } from "@/lib/text/tool-text";
import type { AgentTools, AgentWithTools } from "@/lib/runs/advance/agent-tools";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import type { RunContext } from "@/lib/runs/advance/run-context";

export interface WantedCall {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

export type JudgedCall = PolicyDecision & {
  /** Today's project asks or refuses more than the run's own. */
  stricterNow: boolean;
};

export function judgeCall(context: RunContext, { work, tools }: AgentWithTools, call: WantedCall): JudgedCall {
  const { deps, loaded, memory } = context;
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const asked: CallInProject = {
    project: loaded.project,
    scopes: work.scopes,
    call,
    server: server?.entry.server,
    tool: {
      listing: definition ? "listed" : server && !server.reachable ? "unreachable" : "unlisted",
      annotations: definition?.annotations,
      pin: server && definition ? server.pins(definition) : "new",
      hidesText: definition !== undefined && hidesInDefinition(definition),
    },
    hasLock: tools.hasLock,
    spending: { usedUsd: memory.run.costUsd, toolsUsedUsd: memory.toolsUsd, limitUsd: memory.run.costBudgetUsd },
    deployment: deps.deployment,
  };
  const own = judgeByProject(asked);
  const current = deps.projects.current().project;
  if (current.hash === loaded.project.hash) return { ...own, stricterNow: false };
  const rules = ofToday(current, { scopes: work.scopes, agent: work.agent.name }, call);
  return stricter(own, judgeByProject({ ...asked, ...rules }));
}

/** A definition is never changed, only replaced by what the server lists next. */
const hiding = new WeakMap<ToolDefinition, boolean>();

function hidesInDefinition(definition: ToolDefinition): boolean {
  const hides = hiding.get(definition) ?? hidesText(definition);
  hiding.set(definition, hides);
  return hides;
}

/**
 * An agent that is gone from the project has no rules of today; those of its run still hold, under what the project
 * says today. If both agents still exist, the upper one's file says what the lower one is given, and whether it is
 * called at all.
 */
export function ofToday(
  current: Project,
  work: { scopes: readonly AgentScope[]; agent: string },
  call: WantedCall,
): Pick<CallInProject, "project" | "scopes" | "facts"> {
  const agents = work.scopes.map((scope) =>
    Object.hasOwn(current.agents, scope.agent) ? current.agents[scope.agent] : undefined,
  );
  const scopes = work.scopes.map((scope, place) => {
    const [agent, parent] = [agents[place], agents[place - 1]];
    if (!agent) return scope;
    return parent ? toScopeUnder(current, parent, agent) : { ...toAgentScope(current, agent), only: scope.only };
  });
  const server = current.agents[work.agent]?.servers.find((entry) => entry.name === call.server)?.server;
  return { scopes, project: current, facts: factsOf(server, call.tool) };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

const NOW: TraceEntry = {
  layer: "internal",
  outcome: "pass",
  reason: "The project's rules are stricter now than when the run started; today's hold",
};

/** The stricter of two answers, under the lower budget; two approval rules become one that satisfies both. */
function stricter(own: PolicyDecision, today: PolicyDecision): JudgedCall {
  const danger =
    DANGER_LEVELS.indexOf(today.danger.level) > DANGER_LEVELS.indexOf(own.danger.level) ? today.danger : own.danger;
  const budgetUsd = lowestBudget([own.budgetUsd, today.budgetUsd]);
  if (own.decision === "ask" && today.decision === "ask") {
    const rule = combineApprovalRules(today.rule, own.rule);
    if (coversRule(own.rule, rule)) return { ...own, danger, budgetUsd, stricterNow: false };
    return { ...own, danger, budgetUsd, rule, trace: [NOW, ...own.trace, ...today.trace], stricterNow: true };
  }
  if (STRICTNESS[today.decision] <= STRICTNESS[own.decision]) return { ...own, danger, budgetUsd, stricterNow: false };
  return { ...today, danger, budgetUsd, trace: [NOW, ...today.trace], stricterNow: true };
}

/**
 * Whether people asked under `asked` have granted what `wanted` demands: enough of them, and only people that it names.
 */
export function coversRule(asked: ApprovalRule, wanted: ApprovalRule): boolean {
  const isNamed =
    wanted.approvers.length === 0 ||
    (asked.approvers.length > 0 && asked.approvers.every((name) => wanted.approvers.includes(name)));
  return isNamed && asked.minApprovals >= wanted.minApprovals && (wanted.selfApproval || !asked.selfApproval);
}

/**
 * Whether a call with unknown outcome may be sent again: only if the tool is declared read-only or idempotent, and the
 * YAML does not say otherwise.
 */
export function isRetrySafe(tools: AgentTools, call: WantedCall): boolean {
  const { declared, facts } = hintsOf(tools, call);
  return isReadOnly(tools, call) || (facts?.annotations?.idempotentHint ?? declared?.idempotentHint === true);
}

/** Whether a call changes nothing, whatever becomes of its answer. */
export function isReadOnly(tools: AgentTools, call: Pick<WantedCall, "server" | "tool">): boolean {
  const { declared, facts } = hintsOf(tools, call);
  return assessDanger(declared, facts ?? {}).readOnly;
}

function hintsOf(tools: AgentTools, call: Pick<WantedCall, "server" | "tool">) {
  const server = tools.servers.get(call.server);
  return {
    declared: server?.definitions.get(call.tool)?.annotations,
    facts: factsOf(server?.entry.server, call.tool),
  };
}

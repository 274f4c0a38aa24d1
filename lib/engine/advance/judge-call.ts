/** Judges one call that a model asks for, before anything is recorded of it: by the run's own project, and by today's if that is stricter. */
import { DANGER_LEVELS } from "@/lib/config/permission-schema";
import { assessDanger } from "@/lib/domain/danger";
import { combineApprovalRules } from "@/lib/domain/policy/approval-rule";
import { toAgentScope, toProjectPermissions } from "@/lib/domain/policy/agent-scope";
import { decide } from "@/lib/domain/policy/decide";
import type { PolicyDecision } from "@/lib/domain/policy/policy-answer";
import type { AgentScope, PermissionSet, PolicyCall, PolicyContext } from "@/lib/domain/policy/policy-input";
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import type { RunContext } from "@/lib/engine/advance/run-context";

export interface WantedCall {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

export function judgeCall(context: RunContext, work: AgentAtWork, tools: AgentTools, call: WantedCall): PolicyDecision & { stricterNow: boolean } {
  const own = decide(toPolicyCall(tools, call), toContext(context, tools, call, work.scopes, toProjectPermissions(context.loaded.project)));
  const current = context.deps.projects.current().project;
  if (current.hash === context.loaded.project.hash) return { ...own, stricterNow: false };
  const agent = current.agents[work.agent.name];
  // An agent that is gone from the project has no rules of today; those of its run still hold.
  if (!agent) return { ...own, stricterNow: false };
  const scopes = [...work.scopes.slice(0, -1), toAgentScope(current, agent)];
  const today = decide(toPolicyCall(tools, call), toContext(context, tools, call, scopes, toProjectPermissions(current)));
  return stricter(own, today);
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Of two answers the stricter; two questions become one that satisfies both. */
function stricter(own: PolicyDecision, today: PolicyDecision): PolicyDecision & { stricterNow: boolean } {
  const danger = DANGER_LEVELS.indexOf(today.danger.level) > DANGER_LEVELS.indexOf(own.danger.level) ? today.danger : own.danger;
  if (own.decision === "ask" && today.decision === "ask") {
    const rule = combineApprovalRules(today.rule, own.rule);
    const changed = JSON.stringify(rule) !== JSON.stringify(own.rule);
    return { ...own, danger, rule, trace: changed ? [...own.trace, ...today.trace] : own.trace, stricterNow: changed };
  }
  return STRICTNESS[today.decision] > STRICTNESS[own.decision] ? { ...today, danger, stricterNow: true } : { ...own, danger, stricterNow: false };
}

function toPolicyCall(tools: AgentTools, call: WantedCall): PolicyCall {
  return { server: call.server, definition: tools.servers.get(call.server)?.entry.server.name ?? call.server, tool: call.tool, arguments: call.arguments };
}

function toContext(context: RunContext, tools: AgentTools, call: WantedCall, scopes: readonly AgentScope[], project: PermissionSet): PolicyContext {
  const server = tools.servers.get(call.server);
  const definition = server?.definitions.get(call.tool);
  const facts = server?.entry.server.definition.tools?.[call.tool] ?? {};
  const { run } = context.memory;
  return {
    scopes,
    project,
    tool: {
      listing: definition ? "listed" : server && !server.reachable ? "unreachable" : "unlisted",
      annotations: definition?.annotations,
      facts,
      pin: server && definition ? server.pins(definition) : "new",
    },
    hasLock: tools.hasLock,
    budget: { usedUsd: run.costUsd, estimatedUsd: facts.cost_usd ?? 0, limitUsd: run.costBudgetUsd },
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

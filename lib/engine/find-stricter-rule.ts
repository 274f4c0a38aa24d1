/**
 * What today's project asks of a call that people were asked about under an earlier one, where that is more than they were asked for. Looked
 * at when the question is shown and when it is decided; the worker judges once more in the moment before it sends the call.
 */
import type { Project } from "@/lib/config/project";
import { combineApprovalRules, type StricterRule } from "@/lib/domain/policy/approval-rule";
import { toCallerScopes } from "@/lib/domain/policy/agent-scope";
import { decide } from "@/lib/domain/policy/decide";
import { parseArguments } from "@/lib/engine/advance/find-lapse";
import { coversRule, ofToday } from "@/lib/engine/advance/judge-call";
import type { RunDeps } from "@/lib/engine/advance/run-deps";
import type { ApprovalView } from "@/lib/store/queries/get-approval";
import { findDefinition } from "@/lib/store/queries/find-definition";
import { getRunHead } from "@/lib/store/queries/get-run-head";
import { listCallers } from "@/lib/store/queries/list-callers";
import { sumTurnCosts } from "@/lib/store/queries/sum-turn-costs";

type Asked = Pick<ApprovalView, "status" | "callId" | "runId" | "configHash" | "agent" | "server" | "tool" | "definitionFingerprint" | "argumentsCanonical" | "rule" | "approvers" | "escalatedAt">;

/** Null when what people were asked for is enough today, and for a question that is over. */
export async function findStricterRule(deps: Pick<RunDeps, "db" | "projects" | "deployment">, asked: Asked, args = parseArguments(asked.argumentsCanonical)): Promise<StricterRule | null> {
  const current = deps.projects.current().project;
  if (asked.status !== "pending" || asked.configHash === current.hash || args === null) return null;
  const judged = await judgeByToday(deps, current, asked, args);
  if (judged === null || judged.decision === "allow") return null;
  if (judged.decision === "deny") return { refusal: judged.reason.replace(/\.?$/, "."), rule: asked.rule, approvers: asked.approvers };
  const rule = combineApprovalRules(judged.rule, asked.rule);
  if (coversRule(asked.rule, rule)) return null;
  const isWidened = asked.escalatedAt !== null && rule.approvers.length > 0;
  return { refusal: null, rule, approvers: isWidened ? [...new Set([...rule.approvers, ...(rule.escalate?.to ?? [])])] : rule.approvers };
}

/** Null when the run's own project has no such agent or server, as only a hand in the database could bring about. */
async function judgeByToday(deps: Pick<RunDeps, "db" | "projects" | "deployment">, current: Project, asked: Asked, args: Record<string, unknown>) {
  const [{ project }, run, callers] = await Promise.all([deps.projects.get(asked.configHash), getRunHead(deps.db, asked.runId), listCallers(deps.db, asked.callId)]);
  const scopes = toCallerScopes(project, callers);
  const entry = project.agents[asked.agent]?.servers.find((server) => server.name === asked.server);
  if (!scopes || !entry) return null;
  const definition = asked.definitionFingerprint ? await findDefinition(deps.db, entry.server.name, asked.tool, asked.definitionFingerprint) : null;
  const call = { server: asked.server, tool: asked.tool, arguments: args };
  const rules = ofToday(current, { scopes, agent: asked.agent }, call);
  const facts = rules.facts ?? entry.server.definition.tools?.[asked.tool] ?? {};
  return decide(
    { ...call, definition: entry.server.name },
    {
      scopes: rules.scopes,
      project: rules.project,
      // Whether the definition is still the pinned one is judged with the list that the call is sent by.
      tool: { listing: "listed", annotations: definition?.annotations, facts, pin: "pinned" },
      hasLock: deps.projects.lock() !== null,
      budget: { usedUsd: run.costUsd, toolsUsedUsd: run.costUsd - (await sumTurnCosts(deps.db, run.id)), estimatedUsd: facts.cost_usd ?? 0, limitUsd: run.costBudgetUsd },
      deployment: deps.deployment,
    },
  );
}

/** Arguments that a reviewer changed are held to the tool's schema and judged by the policy again, like the agent's own: by all agents above it too. */
import { toCallerScopes, toProjectPermissions } from "@/lib/domain/policy/agent-scope";
import { decide } from "@/lib/domain/policy/decide";
import { titleOf } from "@/lib/domain/summarize-call";
import type { ToolDefinition } from "@/lib/domain/tool-fingerprint";
import { coversRule } from "@/lib/engine/advance/judge-call";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import type { Runtime } from "@/lib/engine/runtime";
import { KimitsuError } from "@/lib/errors";
import type { ApprovalView } from "@/lib/store/queries/get-approval";
import { findDefinition } from "@/lib/store/queries/find-definition";
import { listCallers } from "@/lib/store/queries/list-callers";
import { getRunHead } from "@/lib/store/queries/get-run-head";
import { sumTurnCosts } from "@/lib/store/queries/sum-turn-costs";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

export interface EditContext {
  schema: Readonly<Record<string, unknown>> | null;
  title: string | undefined;
  template: string | undefined;
}

export async function judgeEdit(deps: Runtime, approval: ApprovalView, args: Record<string, unknown>): Promise<EditContext> {
  const run = await getRunHead(deps.db, approval.runId);
  const { project } = await deps.projects.get(run.configHash);
  const entry = project.agents[approval.agent]?.servers.find((server) => server.name === approval.server);
  const scopes = toCallerScopes(project, await listCallers(deps.db, approval.callId));
  if (!scopes || !entry) throw new KimitsuError("conflict", `Agent ${approval.agent} has no server ${approval.server} any more; the arguments cannot be judged. Nothing was decided.`);
  const definition: ToolDefinition | null = approval.definitionFingerprint ? await findDefinition(deps.db, entry.server.name, approval.tool, approval.definitionFingerprint) : null;
  const fit = definition ? checkAgainstSchema(definition.inputSchema, args) : null;
  if (fit?.kind === "misfit") {
    const issues = fit.problems.map((message) => ({ path: "arguments", message }));
    throw new KimitsuError("invalid_request", `The changed arguments do not fit ${approval.server}.${approval.tool}: ${fit.problems.join("; ")}. Nothing was decided.`, { issues });
  }
  const facts = entry.server.definition.tools?.[approval.tool] ?? {};
  const judged = decide(
    { server: approval.server, definition: entry.server.name, tool: approval.tool, arguments: args },
    {
      scopes,
      project: toProjectPermissions(project),
      tool: { listing: definition ? "listed" : "unlisted", annotations: definition?.annotations, facts, pin: "pinned" },
      hasLock: deps.projects.lock() !== null,
      budget: { usedUsd: run.costUsd, toolsUsedUsd: run.costUsd - (await sumTurnCosts(deps.db, run.id)), estimatedUsd: facts.cost_usd ?? 0, limitUsd: run.costBudgetUsd },
      deployment: deps.deployment,
    },
  );
  if (judged.decision === "deny") throw new KimitsuError("forbidden", `The policy refuses the changed arguments: ${judged.reason} Nothing was decided.`);
  if (judged.decision === "ask" && !coversRule(approval.rule, judged.rule)) {
    const { approvers, minApprovals } = judged.rule;
    throw new KimitsuError("forbidden", `The changed arguments need more than this approval asks for: ${minApprovals} of ${approvers.join(" or ") || "any reviewers"}. Nothing was decided.`);
  }
  refuseKnownSecrets(project, deps.processEnv, { path: "arguments", what: "What the arguments were changed to", value: args });
  return { schema: definition?.inputSchema ?? null, title: titleOf(definition, facts), template: facts.summary };
}

/**
 * Arguments that a reviewer changed must fit the tool's schema and are judged by the policy again, like the agent's
 * own, including the policy of all agents above it.
 */
import { toCallerScopes } from "@/lib/policy/agent-scope";
import { factsOf, judgeByProject } from "@/lib/policy/judge-by-project";
import { titleOf } from "@/lib/approvals/rules/summarize-call";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { coversRule } from "@/lib/runs/advance/judge-call";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import type { Runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";
import type { ApprovalInRun } from "@/lib/approvals/queries/get-approval";
import { findDefinition } from "@/lib/tools/queries/find-definition";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

export interface EditContext {
  schema: Readonly<Record<string, unknown>> | null;
  title: string | undefined;
  template: string | undefined;
}

export async function judgeEdit(
  deps: Runtime,
  approval: ApprovalInRun,
  args: Record<string, unknown>,
): Promise<EditContext> {
  const { project } = await deps.projects.get(approval.configHash);
  const entry = project.agents[approval.agent]?.servers.find((server) => server.name === approval.server);
  const scopes = toCallerScopes(project, approval.callers);
  if (!scopes || !entry)
    throw new KimitsuError(
      "conflict",
      `Agent ${approval.agent} has no server ${approval.server} any more; the arguments cannot be judged. Nothing was decided.`,
    );
  const definition: ToolDefinition | null = approval.definitionFingerprint
    ? await findDefinition(deps.db, {
        server: entry.server.name,
        tool: approval.tool,
        fingerprint: approval.definitionFingerprint,
      })
    : null;
  const fit = definition ? checkAgainstSchema(definition.inputSchema, args) : null;
  if (fit?.kind === "violation") {
    const issues = fit.problems.map((message) => ({ path: "arguments", message }));
    throw new KimitsuError(
      "invalid_request",
      `The changed arguments do not fit ${approval.server}.${approval.tool}: ${fit.problems.join("; ")}. Nothing was decided.`,
      { issues },
    );
  }
  const judged = judgeByProject({
    project,
    scopes,
    call: { server: approval.server, tool: approval.tool, arguments: args },
    server: entry.server,
    tool: { listing: definition ? "listed" : "unlisted", annotations: definition?.annotations },
    hasLock: deps.projects.lock() !== null,
    spending: approval.spending,
    deployment: deps.deployment,
  });
  if (judged.decision === "deny")
    throw new KimitsuError(
      "forbidden",
      `The policy refuses the changed arguments: ${judged.reason} Nothing was decided.`,
    );
  if (judged.decision === "ask" && !coversRule(approval.rule, judged.rule)) {
    const { approvers, minApprovals } = judged.rule;
    throw new KimitsuError(
      "forbidden",
      `The changed arguments need more than this approval asks for: ${minApprovals} of ${approvers.join(" or ") || "any reviewers"}. Nothing was decided.`,
    );
  }
  refuseKnownSecrets(project, deps.processEnv, {
    path: "arguments",
    what: "What the arguments were changed to",
    value: args,
  });
  const facts = factsOf(entry.server, approval.tool);
  return { schema: definition?.inputSchema ?? null, title: titleOf(definition, facts), template: facts?.summary };
}

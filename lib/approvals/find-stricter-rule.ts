/**
 * What today's project asks for a call that people were asked about under an earlier project version, if that is more.
 * Checked when the question is shown and when it is decided; the worker judges again right before it sends the call.
 */
import { combineApprovalRules, type StricterRule } from "@/lib/policy/approval-rule";
import { toCallerScopes } from "@/lib/policy/agent-scope";
import { judgeByProject } from "@/lib/policy/judge-by-project";
import { parseArguments } from "@/lib/runs/advance/find-lapse";
import { coversRule, ofToday } from "@/lib/runs/advance/judge-call";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import type { ApprovalInRun } from "@/lib/approvals/queries/get-approval";
import { findDefinition } from "@/lib/tools/queries/find-definition";

type Asked = Pick<
  ApprovalInRun,
  | "status"
  | "configHash"
  | "agent"
  | "server"
  | "tool"
  | "definitionFingerprint"
  | "argumentsCanonical"
  | "rule"
  | "approvers"
  | "escalatedAt"
  | "callers"
  | "spending"
>;

/** Null when what people were asked is enough today, and for a question that is over. */
export async function findStricterRule(
  deps: Pick<RunDeps, "db" | "projects" | "deployment">,
  asked: Asked,
  args = parseArguments(asked.argumentsCanonical),
): Promise<StricterRule | null> {
  const current = deps.projects.current().project;
  if (asked.status !== "pending" || asked.configHash === current.hash || args === null) return null;
  const judged = await judgeByToday(deps, asked, args);
  if (judged === null || judged.decision === "allow") return null;
  if (judged.decision === "deny")
    return { refusal: judged.reason.replace(/\.?$/, "."), rule: asked.rule, approvers: asked.approvers };
  const rule = combineApprovalRules(judged.rule, asked.rule);
  if (coversRule(asked.rule, rule)) return null;
  const isWidened = asked.escalatedAt !== null && rule.approvers.length > 0;
  return {
    refusal: null,
    rule,
    approvers: isWidened ? [...new Set([...rule.approvers, ...(rule.escalate?.to ?? [])])] : rule.approvers,
  };
}

/**
 * Null when the run's own project has no such agent or server, which only a manual change in the database can cause.
 */
async function judgeByToday(
  deps: Pick<RunDeps, "db" | "projects" | "deployment">,
  asked: Asked,
  args: Record<string, unknown>,
) {
  const current = deps.projects.current().project;
  const { project } = await deps.projects.get(asked.configHash);
  const scopes = toCallerScopes(project, asked.callers);
  const entry = project.agents[asked.agent]?.servers.find((server) => server.name === asked.server);
  if (!scopes || !entry) return null;
  const definition = asked.definitionFingerprint
    ? await findDefinition(deps.db, {
        server: entry.server.name,
        tool: asked.tool,
        fingerprint: asked.definitionFingerprint,
      })
    : null;
  const call = { server: asked.server, tool: asked.tool, arguments: args };
  return judgeByProject({
    ...ofToday(current, { scopes, agent: asked.agent }, call),
    call,
    server: entry.server,
    tool: { listing: "listed", annotations: definition?.annotations },
    hasLock: deps.projects.lock() !== null,
    spending: asked.spending,
    deployment: deps.deployment,
  });
}

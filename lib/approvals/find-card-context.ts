/**
 * What the project says about a call for its card: the project version of the run, and today's where that is stricter.
 */
import { factsOf } from "@/lib/policy/judge-by-project";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { findReach } from "@/lib/approvals/find-reach";
import { findStricterRule } from "@/lib/approvals/find-stricter-rule";
import type { CardContext } from "@/lib/approvals/queries/find-card";
import type { ApprovalInRun } from "@/lib/approvals/queries/get-approval";

export async function findCardContext(
  deps: Pick<RunDeps, "db" | "projects" | "deployment" | "fingerprint">,
  approval: ApprovalInRun,
): Promise<CardContext> {
  const [stricter, reach, { project }] = await Promise.all([
    findStricterRule(deps, approval),
    findReach(deps, approval),
    deps.projects.get(approval.configHash),
  ]);
  const server = project.agents[approval.agent]?.servers.find(({ name }) => name === approval.server)?.server;
  return { stricter, reach, stated: factsOf(server, approval.tool) ?? {}, fingerprint: deps.fingerprint };
}

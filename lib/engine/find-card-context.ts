/** What the project says of a call that people are asked about, for its card: the run's own, and today's where that is stricter. */
import type { RunDeps } from "@/lib/engine/advance/run-deps";
import { findReach } from "@/lib/engine/find-reach";
import { findStricterRule } from "@/lib/engine/find-stricter-rule";
import type { CardContext } from "@/lib/store/queries/find-card";
import type { ApprovalView } from "@/lib/store/queries/get-approval";

export async function findCardContext(deps: Pick<RunDeps, "db" | "projects" | "deployment" | "fingerprint">, approval: ApprovalView): Promise<CardContext> {
  const [stricter, reach, { project }] = await Promise.all([findStricterRule(deps, approval), findReach(deps, approval), deps.projects.get(approval.configHash)]);
  const server = project.agents[approval.agent]?.servers.find(({ name }) => name === approval.server)?.server;
  return { stricter, reach, stated: server?.definition.tools[approval.tool] ?? {}, fingerprint: deps.fingerprint };
}

/**
 * What fails when people refuse an agent's call: the run, one item of a fan-out that may lose it, or the agent that
 * called it.
 */
import { isClientWorkflow } from "@/lib/config/profile-parts";
import type { ProjectStep, ProjectWorkflow } from "@/lib/config/project";
import type { FailureReach } from "@/lib/approvals/rules/after-rejection";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import type { ApprovalInRun } from "@/lib/approvals/queries/get-approval";
import type { ChainedStep } from "@/lib/runs/rules/run-places";

/** As of the moment it was read: items that fail meanwhile use up the failures that their fan-out allows. */
export async function findReach(
  { projects }: Pick<RunDeps, "projects">,
  { chain, configHash, workflow }: Pick<ApprovalInRun, "chain" | "configHash" | "workflow">,
): Promise<FailureReach> {
  if (isClientWorkflow(workflow)) return { ends: "call" };
  const { project } = await projects.get(configHash);
  const [own, above] = chain;
  if (own && above && isSubagent(own, above))
    return { ends: "subagent", agent: own.agent ?? "", caller: above.agent ?? "" };
  const steps = followSteps(project.workflows[workflow], chain);
  for (const row of chain) {
    const forEach = row.itemIndex === null ? undefined : forEachOf(steps.get(row));
    if (forEach && (forEach.max_failures < 0 || row.failedBeside < forEach.max_failures)) return { ends: "item" };
  }
  return { ends: "run" };
}

const isSubagent = (own: ChainedStep, above: ChainedStep): boolean => own.itemIndex === null && above.type === "agent";

function forEachOf(step: ProjectStep | undefined) {
  return step && "for_each" in step.definition ? step.definition.for_each : undefined;
}

/** The step in a workflow's file behind each row, from the run's own workflow down. */
function followSteps(
  workflow: ProjectWorkflow | undefined,
  chain: readonly ChainedStep[],
): Map<ChainedStep, ProjectStep> {
  const steps = new Map<ChainedStep, ProjectStep>();
  let within = workflow ?? null;
  let last: ProjectStep | undefined;
  for (const row of chain.toReversed()) {
    // An item has the same step in the file as the row above it.
    const step = row.itemIndex !== null ? last : within?.steps.find(({ id }) => id === row.key);
    if (!step) break;
    steps.set(row, step);
    last = step;
    within = step.workflow;
  }
  return steps;
}

/**
 * Goes on from where a run failed or was cancelled, as a new run that is linked to it and under the same version of the project. What ended
 * well is not done again. A run whose retry is under way or went well is a conflict, as is one that has not ended, and one of which a step would
 * be done again that may have acted already: a person says first what became of the call.
 */
import type { ProjectWorkflow } from "@/lib/config/project";
import type { Actor } from "@/lib/domain/actor";
import { isRunSettled } from "@/lib/domain/run-state";
import { checkParams, schemaOf, splitSecrets, type StartDeps } from "@/lib/engine/start-run";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { getRunToRetry, type RunToRetry, type StepToRetry } from "@/lib/store/queries/get-run-to-retry";
import { type CopiedStep, retryRunRow } from "@/lib/store/transitions/retry-run";
import { tellRunStarted } from "@/lib/telemetry/tell-run";

export interface RetryWish {
  runId: string;
  /** The values of secret params: a run that is over has forgotten them. */
  secrets?: Record<string, unknown>;
}

export async function retryRun(deps: StartDeps, actor: Actor, wish: RetryWish): Promise<{ runId: string }> {
  const askedAt = new Date();
  const old = await getRunToRetry(deps.db, wish.runId);
  refuseUnlessOver(old);
  refuseUnsettled(old);
  const { project } = await deps.projects.get(old.configHash);
  const workflow = project.workflows[old.workflow];
  if (!workflow) throw new Error(`unreachable: the project ${old.configHash} has no workflow ${old.workflow}`);
  const params = withSecrets(workflow, old, wish.secrets ?? {});
  checkParams(workflow, params);
  const { shown, secrets } = splitSecrets(workflow, params);
  await deps.queue.require();
  const runId = createId("run");
  const done = await retryRunRow(
    deps.db,
    {
      id: runId,
      workflow: old.workflow,
      version: old.version,
      configHash: old.configHash,
      startedBy: actor,
      startedByUserId: actor.kind === "user" ? actor.id : (actor.userId ?? null),
      retryOfRunId: old.id,
      seenWakes: old.wakes,
      params: shown,
      secrets,
      agents: old.agents,
      searchText: [runId, old.id, old.workflow, ...old.agents, actor.name, JSON.stringify(shown)].join(" ").slice(0, 8_000),
      costBudgetUsd: old.costBudgetUsd,
      steps: copySteps(old.steps),
    },
    deps.now(),
  );
  if (!done) {
    refuseUnlessOver(await getRunToRetry(deps.db, wish.runId));
    throw new KimitsuError("conflict", `Run ${old.id} was changed by someone else in this moment; nothing was started. Try again.`);
  }
  tellRunStarted({ runId, workflow: old.workflow, startedAt: askedAt, retryOfRunId: old.id });
  deps.wake(runId);
  return { runId };
}

function refuseUnlessOver({ id, status, liveRetry }: RunToRetry): void {
  if (!isRunSettled(status)) throw new KimitsuError("conflict", `Run ${id} is ${status}; only a run that failed or was cancelled can be retried. Nothing was started.`);
  if (status === "complete") throw new KimitsuError("conflict", `Run ${id} is complete; there is nothing to retry. Start a new run instead.`);
  if (liveRetry) throw new KimitsuError("conflict", `Run ${id} was retried already, as ${liveRetry.id}, which is ${liveRetry.status}. Nothing was started.`);
}

function refuseUnsettled({ id, steps, unknownCalls }: RunToRetry): void {
  const kept = new Set<string>();
  for (const step of steps) if (isKept(step) || (step.parentId !== null && kept.has(step.parentId))) kept.add(step.id);
  const unsettled = unknownCalls.filter(({ stepId }) => !kept.has(stepId));
  if (unsettled.length === 0) return;
  const issues = unsettled.map(({ id: path, server, tool }) => ({ path, message: `nobody knows whether ${server}.${tool} happened; settle it as happened or as failed` }));
  const calls = unsettled.map((call) => `${call.server}.${call.tool} (${call.id})`).join(", ");
  throw new KimitsuError("conflict", `Run ${id} would do again what may have happened already: ${calls}. Settle what became of it first, as happened or as failed, and then retry. Nothing was started.`, { issues });
}

function withSecrets(workflow: ProjectWorkflow, old: RunToRetry, given: Record<string, unknown>): Record<string, unknown> {
  const properties = schemaOf(workflow)?.properties ?? {};
  const needed = Object.keys(old.params).filter((name) => Object.hasOwn(properties, name) && properties[name]?.secret === true);
  const issues = [
    ...needed.filter((name) => !Object.hasOwn(given, name)).map((name) => ({ path: `secrets.${name}`, message: "is a secret, which a run forgets when it ends; give it again" })),
    ...Object.keys(given).filter((name) => !needed.includes(name)).map((name) => ({ path: `secrets.${name}`, message: "is no secret param of this run; other params cannot be changed by a retry" })),
  ];
  if (issues.length > 0) throw new KimitsuError("invalid_request", `Run ${old.id} cannot be retried like this: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`, { issues });
  return { ...old.params, ...given };
}

/** Below a step that begins anew, the items of a fan-out and the steps of a sub-workflow that ended well are kept too. */
export function copySteps(steps: readonly StepToRetry[]): CopiedStep[] {
  const copies = new Map<string, { copy: CopiedStep; type: StepToRetry["type"] }>();
  for (const step of steps) {
    const parent = step.parentId === null ? null : copies.get(step.parentId);
    // What stands below a kept step is on record with the old run, and so is what a sub-agent did for a step that begins anew.
    if (parent === undefined || parent?.copy.kept) continue;
    if (parent?.type === "agent" && step.itemIndex === null) continue;
    copies.set(step.id, { copy: { id: createId("step"), fromId: step.id, parentId: parent?.copy.id ?? null, kept: isKept(step) }, type: step.type });
  }
  return [...copies.values()].map(({ copy }) => copy);
}

function isKept({ status }: StepToRetry): boolean {
  return status === "complete" || status === "skipped";
}

/**
 * Continues a failed or cancelled run as a new run that is linked to it, under the same project version. What completed
 * is not done again. It is a conflict if the run has not ended, if its retry is in progress or completed, or if a step
 * that would be repeated may already have acted: a person must first say what became of the call.
 */
import type { Db } from "@/lib/database/client";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import type { ProjectWorkflow } from "@/lib/config/project";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { pause } from "@/lib/pause";
import { type Actor, personOf } from "@/lib/people/rules/actor";
import type { NewRun, NewStep } from "@/lib/runs/changes/run-created";
import { changeLockedRun, type OutsideChange } from "@/lib/runs/journal/change-run";
import { getOpenRun, type OpenRun } from "@/lib/runs/journal/open-run";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { RunRow, RunSnapshot, StepRow } from "@/lib/runs/snapshot";
import { checkParams, schemaOf, splitSecrets, type StartDeps } from "@/lib/runs/start-run";
import { recordRunStarted } from "@/lib/telemetry/record-run";

export interface RetryCommand {
  runId: string;
  /** The values of secret params: an ended run no longer has them. */
  secrets?: Record<string, unknown>;
}

export async function retryRun(deps: StartDeps, actor: Actor, command: RetryCommand): Promise<{ runId: string }> {
  const askedAt = new Date();
  const { snapshot } = await refuseChangedRecord(() => getOpenRun(deps.db, command.runId), NOTHING_STARTED);
  const { run: old } = snapshot;
  refuseClientCall(old);
  refuseUnlessOver(old);
  await refuseIfRetried(deps.db, old.id);
  refuseUnsettled(snapshot);
  const { project } = await deps.projects.get(old.configHash);
  const workflow = project.workflows[old.workflow];
  if (!workflow) throw new Error(`unreachable: the project ${old.configHash} has no workflow ${old.workflow}`);
  const params = withSecrets(workflow, old, command.secrets ?? {});
  checkParams(workflow, params);
  await deps.queue.require();
  const run = toNewRun(old, actor, splitSecrets(workflow, params));
  await pause("retry-run:before-commit", old.id);
  await refuseChangedRecord(() => writeRetry(deps, run, old.id), NOTHING_STARTED);
  await pause("retry-run:after-commit", old.id);
  recordRunStarted({ runId: run.id, workflow: old.workflow, startedAt: askedAt, retryOfRunId: old.id });
  deps.wake(run.id);
  return { runId: run.id };
}

const NOTHING_STARTED = " Nothing was started.";
const TRANSACTION_MS_MAX = 20_000;

function toNewRun(
  old: RunRow,
  actor: Actor,
  { shown, secrets }: ReturnType<typeof splitSecrets>,
): Omit<NewRun, "steps"> {
  const id = createId("run");
  const { workflow, version, configHash, agents, costBudgetUsd } = old;
  const startedByUserId = personOf(actor);
  return {
    id,
    workflow,
    version,
    configHash,
    agents,
    costBudgetUsd,
    retryOfRunId: old.id,
    sessionId: null,
    params: shown,
    secrets,
    startedBy: actor,
    startedByUserId,
    starterIds: [...new Set([...old.starterIds, ...(startedByUserId === null ? [] : [startedByUserId])])],
  };
}

/**
 * Both runs in one transaction, under a lock on the old one: of two concurrent retries, one gets a conflict that names
 * the other.
 */
async function writeRetry(deps: StartDeps, run: Omit<NewRun, "steps">, oldId: string): Promise<void> {
  const at = deps.now();
  const build = ({ snapshot }: OpenRun): OutsideChange<NewStep[]> => {
    refuseUnlessOver(snapshot.run);
    refuseUnsettled(snapshot);
    return {
      changes: [{ kind: "run_retried", at: at.toISOString(), as: run.id, actor: run.startedBy }],
      queue: { kind: "stay" },
      done: copySteps([...snapshot.steps.values()]),
    };
  };
  const write = async (tx: Pick<Db, "$queryRaw" | "run">): Promise<void> => {
    const outcome = await changeLockedRun(tx, oldId, { build, at });
    if (outcome.kind !== "done") throw new Error(`unreachable: run ${oldId} was changed under its own lock`);
    await refuseIfRetried(tx, oldId);
    await writeNewRun(tx, { ...run, steps: outcome.done }, null, at);
  };
  await deps.db.$transaction(write, { timeout: TRANSACTION_MS_MAX, maxWait: TRANSACTION_MS_MAX });
}

/** Nobody would take the answer of a call that was made again here. */
function refuseClientCall({ id, workflow }: RunRow): void {
  if (!isClientWorkflow(workflow)) return;
  throw new KimitsuError(
    "conflict",
    `Run ${id} is a call of an MCP client; the client makes the call again itself. Nothing was started.`,
  );
}

function refuseUnlessOver({ id, status }: RunRow): void {
  if (!isRunSettled(status))
    throw new KimitsuError(
      "conflict",
      `Run ${id} is ${status}; only a run that failed or was cancelled can be retried. Nothing was started.`,
    );
  if (status === "complete")
    throw new KimitsuError("conflict", `Run ${id} is complete; there is nothing to retry. Start a new run instead.`);
}

/** A retry that failed may be followed by another one. */
async function refuseIfRetried(db: Pick<Db, "run">, id: string): Promise<void> {
  const retry = await db.run.findFirst({
    where: { retryOfRunId: id, status: { notIn: ["failed", "cancelled"] } },
    orderBy: { id: "desc" },
    select: { id: true, status: true },
  });
  if (!retry) return;
  throw new KimitsuError(
    "conflict",
    `Run ${id} was retried already, as ${retry.id}, which is ${retry.status}. Nothing was started.`,
  );
}

function refuseUnsettled({ run: { id }, steps, calls: all }: RunSnapshot): void {
  const kept = new Set<string>();
  for (const step of steps.values()) {
    if (isKept(step) || (step.parentId !== null && kept.has(step.parentId))) kept.add(step.id);
  }
  const isUnknown = (status: string, retrySafe: boolean) => status === "outcome_unknown" && !retrySafe;
  const unsettled = [...all.values()].filter(
    ({ status, retrySafe, stepId }) => isUnknown(status, retrySafe) && !kept.has(stepId),
  );
  if (unsettled.length === 0) return;
  const issues = unsettled.map(({ id: path, server, tool }) => ({
    path,
    message: `nobody knows whether ${server}.${tool} happened; settle it as happened or as failed`,
  }));
  const calls = unsettled.map((call) => `${call.server}.${call.tool} (${call.id})`).join(", ");
  throw new KimitsuError(
    "conflict",
    `Run ${id} would do again what may have happened already: ${calls}. Settle what became of it first, as happened or as failed, and then retry. Nothing was started.`,
    { issues },
  );
}

function withSecrets(workflow: ProjectWorkflow, old: RunRow, given: Record<string, unknown>): Record<string, unknown> {
  const properties = schemaOf(workflow)?.properties ?? {};
  const needed = Object.keys(old.params).filter(
    (name) => Object.hasOwn(properties, name) && properties[name]?.secret === true,
  );
  const issues = [
    ...needed
      .filter((name) => !Object.hasOwn(given, name))
      .map((name) => ({
        path: `secrets.${name}`,
        message: "is a secret, which a run forgets when it ends; give it again",
      })),
    ...Object.keys(given)
      .filter((name) => !needed.includes(name))
      .map((name) => ({
        path: `secrets.${name}`,
        message: "is no secret param of this run; other params cannot be changed by a retry",
      })),
  ];
  if (issues.length > 0)
    throw new KimitsuError(
      "invalid_request",
      `Run ${old.id} cannot be retried like this: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`,
      { issues },
    );
  return { ...old.params, ...given };
}

/**
 * Below a step that begins again, completed items of a fan-out and steps of a sub-workflow are kept too. `steps` are in
 * order of creation: parents before children.
 */
export function copySteps(steps: readonly StepRow[]): NewStep[] {
  const copies = new Map<string, NewStep>();
  for (const step of steps) {
    const parent = step.parentId === null ? null : copies.get(step.parentId);
    // What is below a kept step is on record with the old run, and so is what a sub-agent did for a step that begins
    // again.
    if (parent === undefined || parent?.kept) continue;
    if (parent?.type === "agent" && step.itemIndex === null) continue;
    copies.set(step.id, copyStep(step, parent?.id ?? null));
  }
  return [...copies.values()];
}

/** Figures are not copied, because nothing is paid again. */
function copyStep(step: StepRow, parentId: string | null): NewStep {
  const { key, type, agent, itemIndex, status, output, degraded, state, startedAt, completedAt } = step;
  const kept = isKept(step) ? { kept: { status, output, degraded, state, startedAt, completedAt } } : {};
  return { id: createId("step"), key, type, agent, itemIndex, parentId, ...kept };
}

function isKept({ status }: StepRow): boolean {
  return status === "complete" || status === "skipped";
}

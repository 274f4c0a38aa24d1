/**
 * Starts a run: the params are checked before anything is written, secret ones are sealed, and its project version is
 * stored.
 */
import { findWorkflow } from "@/lib/config/list-definitions";
import type { Project, ProjectAgent, ProjectWorkflow } from "@/lib/config/project";
import type { Actor } from "@/lib/people/rules/actor";
import type { Projects, RunDeps } from "@/lib/runs/advance/run-deps";
import type { EngineDeps } from "@/lib/database/deps";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import type { QueueRoom } from "@/lib/runs/queue-room";
import { type WorkerSlotDeps, writeAndGoOn } from "@/lib/runs/worker-slot";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import type { Db } from "@/lib/database/client";
import { hasProjectVersion } from "@/lib/projects/queries/find-project-version";
import { sealSecret } from "@/lib/database/secret-box";
import { keepProjectVersion } from "@/lib/projects/transitions/keep-project-version";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { recordRunStarted } from "@/lib/telemetry/record-run";
import { listSchemaViolations } from "@/lib/tools/schema-check";

export interface StartDeps extends WorkerSlotDeps {
  projects: Projects;
  processEnv: RunDeps["processEnv"];
  queue: QueueRoom;
}

export interface StartCommand {
  workflow: string;
  params: Record<string, unknown>;
  actor: Actor;
}

const SECRET_SHOWN = "[secret]";

export async function startRun(deps: StartDeps, command: StartCommand): Promise<{ runId: string }> {
  const askedAt = new Date();
  const { project } = deps.projects.current();
  const workflow = findWorkflow(project, command.workflow);
  if (!workflow || workflow.definition.visibility !== "root")
    throw new KimitsuError("not_found", `There is no workflow ${command.workflow} that can be started.`);
  const params = withDefaults(workflow, command.params);
  checkParams(workflow, params);
  const { shown, secrets } = splitSecrets(workflow, params);
  refuseKnownSecrets(project, deps.processEnv, {
    path: "params",
    what: "What was given as params and is not marked secret",
    value: shown,
  });
  await deps.queue.require();
  await keepProject(deps, project);
  const runId = createId("run");
  const startedByUserId = command.actor.kind === "user" ? command.actor.id : (command.actor.userId ?? null);
  const run = {
    id: runId,
    workflow: workflow.name,
    version: workflow.definition.version ?? "",
    configHash: project.hash,
    startedBy: command.actor,
    startedByUserId,
    starterIds: startedByUserId === null ? [] : [startedByUserId],
    retryOfRunId: null,
    sessionId: null,
    params: shown,
    secrets,
    agents: agentsOf(workflow),
    costBudgetUsd: workflow.definition.model_policy?.cost_budget_usd ?? null,
    steps: workflow.steps.map((step) => ({
      id: createId("step"),
      key: step.id,
      type: step.kind,
      agent: step.agent?.name ?? null,
    })),
  };
  await writeAndGoOn(deps, {
    runId,
    write: async (claimer, at) => ({ done: runId, claimed: await writeNewRun(deps.db, run, claimer, at) }),
    isWoken: () => true,
  });
  recordRunStarted({ runId, workflow: workflow.name, startedAt: askedAt });
  return { runId };
}

/** By database, because tests have many in one process: a stored project version is not checked again. */
const kept = new WeakMap<Db, Set<string>>();

export async function keepProject(deps: EngineDeps, project: Project): Promise<void> {
  const hashes = kept.get(deps.db) ?? new Set<string>();
  kept.set(deps.db, hashes);
  if (hashes.has(project.hash)) return;
  if (!(await hasProjectVersion(deps.db, project.hash))) {
    await keepProjectVersion(
      deps.db,
      { hash: project.hash, files: { ...project.texts }, environment: project.environment?.name ?? null },
      deps.now(),
    );
  }
  hashes.add(project.hash);
}

type Schema = { properties?: Record<string, { secret?: boolean; default?: unknown }> };
export const schemaOf = (workflow: ProjectWorkflow): Schema | undefined =>
  workflow.definition.params?.schema as Schema | undefined;

function withDefaults(workflow: ProjectWorkflow, params: Record<string, unknown>): Record<string, unknown> {
  const defaults = Object.entries(schemaOf(workflow)?.properties ?? {}).filter(
    ([, property]) => property.default !== undefined,
  );
  return { ...Object.fromEntries(defaults.map(([name, property]) => [name, property.default])), ...params };
}

/** Throws `invalid_request` with every violation. */
export function checkParams(workflow: ProjectWorkflow, params: Record<string, unknown>): void {
  const schema = schemaOf(workflow);
  const violations = schema ? listSchemaViolations(schema as Record<string, unknown>, params) : [];
  if (violations.length === 0) return;
  const issues = violations.map(({ path, message }) => ({ path: ["params", path].filter(Boolean).join("."), message }));
  throw new KimitsuError(
    "invalid_request",
    `The params do not fit workflow ${workflow.name}: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`,
    { issues },
  );
}

/** What is shown and stored in clear text, and what is sealed. */
export function splitSecrets(workflow: ProjectWorkflow, params: Record<string, unknown>) {
  const properties = schemaOf(workflow)?.properties ?? {};
  const isSecret = (name: string) => properties[name]?.secret === true;
  const secret = Object.entries(params).filter(([name]) => isSecret(name));
  const shown = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, isSecret(name) ? SECRET_SHOWN : value]),
  );
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return {
    shown,
    secrets:
      secret.length > 0
        ? sealSecret(JSON.stringify(Object.fromEntries(secret.map(([name, value]) => [name, text(value)]))))
        : null,
  };
}

/** All agents that may take part, including those of sub-workflows and sub-agents at any depth. */
function agentsOf(workflow: ProjectWorkflow): string[] {
  const names = new Set<string>();
  const add = ({ name, subagents }: ProjectAgent) => {
    if (names.has(name)) return;
    names.add(name);
    for (const { agent } of subagents) add(agent);
  };
  const visit = (current: ProjectWorkflow) => {
    for (const step of current.steps) {
      if (step.agent) add(step.agent);
      if (step.workflow) visit(step.workflow);
    }
  };
  visit(workflow);
  return [...names];
}

/**
 * The run that is being advanced, with everything its steps need: memory, project, variables, secrets, the stop signal.
 */
import { findVariable, type Project, type ProjectWorkflow } from "@/lib/config/project";
import { SecretRef, type SecretResolver } from "@/lib/config/secret-ref";
import type { LoadedProject, RunDeps } from "@/lib/runs/advance/run-deps";
import type { RunMemory } from "@/lib/runs/advance/run-memory";
import type { RunWriter } from "@/lib/runs/journal/run-writer";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";

/** Of a run that is being started there is nothing on record yet, so that its first changes are only collected. */
export type RunWrites = Pick<RunWriter, "now" | "later" | "try" | "flush" | "run">;

export interface RunContext {
  deps: RunDeps;
  memory: RunMemory;
  loaded: LoadedProject;
  /** The workflow that the run was started with. */
  workflow: ProjectWorkflow;
  secrets: SecretResolver;
  /** Aborted at shutdown: finish what was sent, begin nothing. */
  signal: AbortSignal;
  /** Aborted then too, and when the run has used its time: a turn of the model is not waited for. */
  turnSignal: AbortSignal;
  /** Everything that is written for the run goes through it. */
  writes: RunWrites;
  /**
   * Checked before anything leaves this process: false when the lease was not renewed for so long that another may have
   * the run.
   */
  isFresh: () => boolean;
  /** Since this worker claimed the run. */
  activeMs: () => number;
  /** Runs the pipeline of a sub-workflow; passed in, because a pipeline runs steps and a step may run a pipeline. */
  runFrame: (frame: Frame) => Promise<StepOutcome>;
}

/** One pipeline in progress: the run's own, or that of a sub-workflow step (or of one item of its fan-out). */
export interface Frame {
  /** The step that runs this pipeline; null for the run's own. */
  parentId: string | null;
  workflow: ProjectWorkflow;
  params: Readonly<Record<string, unknown>>;
  /** Only the run's own workflow has variables. */
  env: Readonly<Record<string, unknown>> | null;
  /** Whether webhooks are really sent: a sub-workflow's are when both sides opted in. */
  sendsWebhooks: boolean;
}

/** Values of plain variables, references for secret ones. */
export function envScope(
  project: Project,
  workflow: ProjectWorkflow,
  processEnv: RunDeps["processEnv"],
): Record<string, unknown> {
  return Object.fromEntries(
    workflow.definition.env.map((entry) => [
      entry.name,
      entry.secret ? SecretRef.env(entry.name) : (findVariable(project, entry, processEnv) ?? undefined),
    ]),
  );
}

/**
 * Reads a secret at the moment of use: a variable from this process's environment, a param from the run's sealed ones.
 */
export function createSecretResolver(
  { project, workflow }: { project: Project; workflow: ProjectWorkflow },
  memory: RunMemory,
  processEnv: RunDeps["processEnv"],
): SecretResolver {
  return ({ kind, name }) => {
    if (kind === "param") return memory.openSecrets()[name];
    const entry = workflow.definition.env.find((candidate) => candidate.name === name);
    return entry ? (findVariable(project, entry, processEnv) ?? undefined) : undefined;
  };
}

/** The params of the run, with references in place of secret ones. */
export function paramScope(
  workflow: ProjectWorkflow,
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties =
    (workflow.definition.params?.schema as { properties?: Record<string, { secret?: boolean }> } | undefined)
      ?.properties ?? {};
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      properties[name]?.secret === true ? SecretRef.param(name) : value,
    ]),
  );
}

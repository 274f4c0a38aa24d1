/**
 * Advances one run under a lease as far as possible: to its end, or to where it waits. It does not depend on its
 * caller, today the worker's loop. Losing the lease is an outcome like the others: nothing more is written.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ProjectWorkflow } from "@/lib/config/project";
import { KimitsuError } from "@/lib/errors";
import { checkServers } from "@/lib/runs/advance/check-servers";
import { createSecretResolver, envScope, paramScope, type RunContext } from "@/lib/runs/advance/run-context";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { RunMemory } from "@/lib/runs/advance/run-memory";
import { runPipeline } from "@/lib/runs/advance/run-pipeline";
import { endOrGoOn, parkOrGoOn, type WritingRun } from "@/lib/runs/advance/rest";
import { parkedStatus, type StepOutcome } from "@/lib/runs/advance/step-outcome";
import type { RunEnd } from "@/lib/runs/changes/run-ended";
import type { Claimed } from "@/lib/runs/journal/claim-run";
import { LeaseLost, RunWriter } from "@/lib/runs/journal/run-writer";

/** A longer timer would fire at once. No worker advances one run for that long without a stop. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export type AdvanceOutcome = { kind: "settled" } | { kind: "parked"; wakeAt: Date | null } | { kind: "lost" };

export interface AdvanceOptions {
  signal: AbortSignal;
  /**
   * Whether the lease is still valid by this process's own clock: a process that was suspended for a while must not
   * send what it was about to.
   */
  isFresh?: () => boolean;
  /**
   * How long the previous holder of this run may still send what it had begun; a person is asked about it only after
   * that.
   */
  lastSendsMs?: number;
  /** Gives the driver a way to signal that something outside has changed. */
  onReady?: (wake: () => Promise<void>) => void;
}

export async function advanceRun(deps: RunDeps, claimed: Claimed, options: AdvanceOptions): Promise<AdvanceOutcome> {
  try {
    return await advance(deps, claimed, options);
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: "lost" };
    throw error;
  }
}

async function advance(deps: RunDeps, { lease, run: open }: Claimed, options: AdvanceOptions): Promise<AdvanceOutcome> {
  const { signal, onReady, isFresh = () => true, lastSendsMs = 0 } = options;
  const memory = new RunMemory(lease, open);
  const writes = new RunWriter(deps.db, open, lease, { onNews: () => memory.signal() });
  onReady?.(() => writes.catchUp());
  if (memory.leftExecuting().length > 0) await sleep(lastSendsMs, undefined, { signal }).catch(() => undefined);
  const startedAt = performance.now();
  const activeMs = () => Math.round(performance.now() - startedAt);
  const part = { deps, memory, writes, activeMs };
  if (signal.aborted) {
    for (;;)
      if (await parkOrGoOn(part, { status: "running", wakeAt: deps.now() }, memory.news))
        return { kind: "parked", wakeAt: null };
  }
  await rescue(part);
  const loaded = await deps.projects.get(memory.run.configHash);
  const workflow = loaded.project.workflows[memory.run.workflow];
  if (!workflow)
    throw new KimitsuError(
      "config_invalid",
      `The project of run ${lease.runId} has no workflow ${memory.run.workflow}.`,
    );
  const secrets = createSecretResolver({ project: loaded.project, workflow }, memory, deps.processEnv);
  const deadline = startDeadline(workflow, memory, activeMs);
  const turnSignal = deadline ? AbortSignal.any([signal, deadline.signal]) : signal;
  const context: RunContext = {
    ...part,
    loaded,
    workflow,
    secrets,
    signal,
    turnSignal,
    isFresh,
    runFrame: (frame) => runPipeline(context, frame),
  };
  try {
    return await driveToRest(context, deadline);
  } finally {
    await writes.flush();
  }
}

interface Deadline {
  signal: AbortSignal;
  outcome: Exclude<StepOutcome, { kind: "waiting" }>;
}

async function driveToRest(context: RunContext, deadline: Deadline | null): Promise<AdvanceOutcome> {
  const { deps, memory, loaded, workflow, signal } = context;
  const unfit = await checkServers(context);
  for (;;) {
    const seen = memory.news;
    const reached =
      unfit ??
      (await runPipeline(context, {
        parentId: null,
        workflow,
        params: paramScope(workflow, memory.run.params),
        env: envScope(loaded.project, workflow, deps.processEnv),
        sendsWebhooks: true,
      }));
    if (memory.isParked) return { kind: "parked", wakeAt: null };
    const outcome: StepOutcome = reached.kind === "waiting" && deadline?.signal.aborted ? deadline.outcome : reached;
    if (outcome.kind !== "waiting") {
      if (await endOrGoOn(context, toEnd(outcome), seen)) return { kind: "settled" };
    } else if (memory.news === seen || signal.aborted) {
      const stop = signal.aborted ? { status: "running" as const, wakeAt: deps.now() } : parkedStatus(outcome.waiting);
      if (await parkOrGoOn(context, stop, signal.aborted ? memory.news : seen))
        return { kind: "parked", wakeAt: stop.wakeAt };
    }
  }
}

function toEnd(outcome: Exclude<StepOutcome, { kind: "waiting" }>): RunEnd {
  if (outcome.kind !== "failed")
    return { status: "complete", output: outcome.kind === "complete" ? outcome.output : { skipped: true } };
  const { code, message, step } = outcome.error;
  return { status: "failed", error: { code, message, ...(typeof step === "string" ? { step } : {}) } };
}

/** What a dead worker left behind: calls that may not be sent twice wait for a person. */
async function rescue({ deps, memory, writes }: WritingRun): Promise<void> {
  for (const call of memory.leftExecuting()) {
    const isCommitLost = memory.run.commitsLostAt !== null;
    await writes.now({ kind: "call_unknown", at: deps.now().toISOString(), callId: call.id, isCommitLost });
  }
}

/**
 * The time limit of the run counts the time that workers spend on it, not the time that people take. When it is used
 * up, sent calls are waited for, a turn of the model is not, and nothing more begins.
 */
function startDeadline(workflow: ProjectWorkflow, memory: RunMemory, activeMs: () => number): Deadline | null {
  const limitS = workflow.definition.model_policy?.timeout_s;
  if (limitS === undefined) return null;
  const leftMs = Math.max(limitS * 1000 - memory.run.activeMs - activeMs(), 0);
  const signal = AbortSignal.timeout(Math.min(leftMs, TIMER_MS_MAX));
  signal.addEventListener("abort", () => (memory.failing = true), { once: true });
  return {
    signal,
    outcome: { kind: "failed", error: { code: "run_timeout", message: `The run has used its ${limitS} s.` } },
  };
}

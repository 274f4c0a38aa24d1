/**
 * Brings one run as far as it goes under a lease: to its end, or to where it waits. It does not know who calls it; the worker's loop
 * does today. Losing the lease is an outcome like the others: nothing more is written.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ProjectWorkflow } from "@/lib/config/project";
import { checkServers } from "@/lib/engine/advance/check-servers";
import { createSecretResolver, envScope, paramScope, type RunContext } from "@/lib/engine/advance/run-context";
import type { RunDeps } from "@/lib/engine/advance/run-deps";
import { held, LeaseLost, RunMemory } from "@/lib/engine/advance/run-memory";
import { runPipeline } from "@/lib/engine/advance/run-pipeline";
import { RunWrites } from "@/lib/engine/advance/run-writes";
import { StepStarts } from "@/lib/engine/advance/step-starts";
import { parkedStatus, type StepOutcome } from "@/lib/engine/advance/step-outcome";
import { KimitsuError } from "@/lib/errors";
import type { Lease } from "@/lib/store/lease-sql";
import { loadRun, reloadRun, type RunSnapshot } from "@/lib/store/queries/load-run";
import { markUnknown } from "@/lib/store/transitions/execute-call";
import { parkRun } from "@/lib/store/transitions/park-run";
import { releaseCost } from "@/lib/store/transitions/reserve-cost";
import { type RunEnd, settleRunRow } from "@/lib/store/transitions/settle-run";
import { moveStep } from "@/lib/store/transitions/settle-step";
import { tellRunSettled } from "@/lib/telemetry/tell-run";

/** A longer timer would end at once. No worker advances one run for that long without a stop. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export type AdvanceOutcome = { kind: "settled" } | { kind: "parked"; wakeAt: Date | null } | { kind: "lost" };

export interface AdvanceOptions {
  signal: AbortSignal;
  /** Whether the lease still runs by this process's own clock: a process that was stopped for a while must not send what it was about to. */
  isFresh?: () => boolean;
  /** For so long whoever had this run before may still send what it had begun; only then is it asked what became of it. */
  lastSendsMs?: number;
  /** The run as it was read with the claim; read here when absent. */
  snapshot?: RunSnapshot | null;
  /** Gives the driver a way to say that something outside has changed. */
  onReady?: (wake: () => Promise<void>) => void;
}

export async function advanceRun(deps: RunDeps, lease: Lease, options: AdvanceOptions): Promise<AdvanceOutcome> {
  try {
    return await advance(deps, lease, options);
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: "lost" };
    throw error;
  }
}

async function advance(deps: RunDeps, lease: Lease, { signal, onReady, snapshot, isFresh = () => true, lastSendsMs = 0 }: AdvanceOptions): Promise<AdvanceOutcome> {
  const memory = new RunMemory(lease, snapshot ?? (await loadRun(deps.db, lease.runId)));
  const writes = new RunWrites(deps.db, lease.runId);
  const readRows = async () => {
    // What is here must not be overwritten by what was there before it.
    await writes.flush();
    return reloadRun(deps.db, lease.runId);
  };
  const wake = () => memory.catchUp(readRows);
  onReady?.(wake);
  if (memory.leftExecuting().length > 0) await sleep(lastSendsMs, undefined, { signal }).catch(() => undefined);
  const startedAt = performance.now();
  const activeMs = () => Math.round(performance.now() - startedAt);
  if (signal.aborted) return park({ deps, memory, writes, activeMs }, { status: "running", wakeAt: deps.now() });
  await rescue(deps, memory, writes);
  const loaded = await deps.projects.get(memory.run.configHash);
  const workflow = loaded.project.workflows[memory.run.workflow];
  if (!workflow) throw new KimitsuError("config_invalid", `The project of run ${lease.runId} has no workflow ${memory.run.workflow}.`);
  const secrets = createSecretResolver(loaded.project, workflow, memory, deps.processEnv);
  const deadline = startDeadline(workflow, memory, activeMs);
  const turnSignal = deadline ? AbortSignal.any([signal, deadline.signal]) : signal;
  const starts = new StepStarts(async (move, at) => held(await writes.now((db) => moveStep(db, lease, move, at))));
  const context: RunContext = { deps, memory, loaded, workflow, secrets, signal, turnSignal, starts, writes, isFresh, activeMs, runFrame: (frame) => runPipeline(context, frame) };
  try {
    return await driveToRest(context, { deadline, wake });
  } finally {
    starts.drop();
    await writes.flush();
  }
}

interface Deadline {
  signal: AbortSignal;
  outcome: Exclude<StepOutcome, { kind: "waiting" }>;
}

interface Driving {
  deadline: Deadline | null;
  /** Reads what others have changed. */
  wake: () => Promise<void>;
}

async function driveToRest(context: RunContext, { deadline, wake }: Driving): Promise<AdvanceOutcome> {
  const { deps, memory, loaded, workflow, signal, activeMs, writes } = context;
  const { lease } = memory;
  const unfit = await checkServers(context);
  for (;;) {
    const seen = memory.seenWakes;
    const reached = unfit ?? await runPipeline(context, {
      parentId: null,
      workflow,
      params: paramScope(workflow, memory.run.params),
      env: envScope(loaded.project, workflow, deps.processEnv),
      sendsWebhooks: true,
    });
    if (memory.isParked) return { kind: "parked", wakeAt: null };
    const outcome: StepOutcome = reached.kind === "waiting" && deadline?.signal.aborted ? deadline.outcome : reached;
    if (outcome.kind !== "waiting") {
      const end = toEnd(outcome);
      held(await writes.now((db) => settleRunRow(db, lease, { ...end, lastStep: memory.lastMove, leftOpen: memory.leftOpen() }, activeMs(), deps.now())));
      tellRunSettled({ runId: lease.runId, workflow: memory.run.workflow, status: end.status });
      return { kind: "settled" };
    }
    const { lastMove } = memory;
    if (lastMove) held(await writes.now((db) => moveStep(db, lease, lastMove, deps.now())));
    memory.lastMove = null;
    if (memory.isBehind && !signal.aborted) await wake();
    else if (memory.seenWakes === seen || signal.aborted) {
      return park(context, signal.aborted ? { status: "running", wakeAt: deps.now() } : parkedStatus(outcome.waiting));
    }
  }
}

async function park({ deps, memory, writes, activeMs }: Pick<RunContext, "deps" | "memory" | "writes" | "activeMs">, stop: ReturnType<typeof parkedStatus>): Promise<AdvanceOutcome> {
  held(await writes.now((db) => parkRun(db, memory.lease, { ...stop, seenWakes: memory.seenWakes, activeMs: activeMs() }, deps.now())));
  return { kind: "parked", wakeAt: stop.wakeAt };
}

function toEnd(outcome: Exclude<StepOutcome, { kind: "waiting" }>): RunEnd {
  if (outcome.kind !== "failed") return { status: "complete", output: outcome.kind === "complete" ? outcome.output : { skipped: true } };
  const { code, message, step } = outcome.error;
  return { status: "failed", error: { code, message, ...(typeof step === "string" ? { step } : {}) } };
}

/** What a dead worker left behind: calls that may not be sent twice wait for a person, and money that was set aside is free again. */
async function rescue(deps: RunDeps, memory: RunMemory, writes: RunWrites): Promise<void> {
  if (memory.run.costReservedUsd > 0) held(await writes.now((db) => releaseCost(db, memory.lease, memory.run.costReservedUsd)));
  for (const call of memory.leftExecuting()) {
    held(await writes.now((db) => markUnknown(db, memory.lease, call.id, deps.now())));
    memory.setCall(call.id, { status: "outcome_unknown" });
  }
}

/**
 * The time limit of the run counts the time that workers spend on it, not the time that people take. When it is used up, what was sent is
 * waited for, a turn of the model is not, and nothing more begins.
 */
function startDeadline(workflow: ProjectWorkflow, memory: RunMemory, activeMs: () => number): Deadline | null {
  const limitS = workflow.definition.model_policy?.timeout_s;
  if (limitS === undefined) return null;
  const leftMs = Math.max(limitS * 1000 - memory.run.activeMs - activeMs(), 0);
  const signal = AbortSignal.timeout(Math.min(leftMs, TIMER_MS_MAX));
  signal.addEventListener("abort", () => (memory.failing = true), { once: true });
  return { signal, outcome: { kind: "failed", error: { code: "run_timeout", message: `The run has used its ${limitS} s.` } } };
}

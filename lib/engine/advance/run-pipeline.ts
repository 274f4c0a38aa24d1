/** Runs the steps of one workflow, in parallel where nothing orders them, until all have ended, one has failed, or all that is left waits. */
import { compile, isTruthy } from "@/lib/config/jmespath";
import type { ProjectStep } from "@/lib/config/project";
import type { TemplateScope } from "@/lib/config/template";
import { guardStep } from "@/lib/engine/advance/guard-step";
import type { Frame, RunContext } from "@/lib/engine/advance/run-context";
import { toMove } from "@/lib/engine/advance/run-fan-out";
import { held, type RunMemory } from "@/lib/engine/advance/run-memory";
import { runStep } from "@/lib/engine/advance/run-step";
import { runTogether } from "@/lib/engine/advance/run-together";
import { failsRun, type StepOutcome, type Waiting } from "@/lib/engine/advance/step-outcome";
import { toOutput } from "@/lib/engine/advance/to-output";
import { createId } from "@/lib/ids";
import type { StepRow } from "@/lib/store/queries/load-run";
import { addChildSteps } from "@/lib/store/transitions/add-child-steps";
import { moveStep, type StepMove } from "@/lib/store/transitions/settle-step";
import { followStep } from "@/lib/telemetry/tell-step";

export async function runPipeline(context: RunContext, frame: Frame): Promise<StepOutcome> {
  await addSteps(context, frame);
  const { memory, signal } = context;
  const findFailed = () => [...rowsOf(context, frame).values()].find((row) => row.status === "failed");
  const isStopping = () => {
    const failed = findFailed();
    if (failed && (frame.parentId === null || failsRun(failed.error))) memory.failing = true;
    return failed !== undefined || signal.aborted || memory.failing;
  };
  const ready = () => {
    const rows = rowsOf(context, frame);
    return frame.workflow.steps.flatMap((step) => {
      const row = rows.get(step.id);
      return row && isRunnable(step, row, rows) ? [[step.id, () => advanceStep(context, frame, step, row)] as const] : [];
    });
  };
  const waits = await runTogether(memory, { ready, isStopping });
  const failed = findFailed();
  if (failed) return { kind: "failed", error: { ...(failed.error ?? { code: "failed", message: "" }), step: failed.key } };
  if (isStopping()) return { kind: "waiting", waiting: [{ for: "stop" }] };
  if (waits.length > 0) return { kind: "waiting", waiting: waits };
  const skipped = [...rowsOf(context, frame).values()].filter((row) => row.status === "skipped").map((row) => row.key);
  return toOutput(frame, scopeOf(context, frame), skipped);
}

const ENDED = ["complete", "skipped", "failed", "cancelled"];

function isRunnable(step: ProjectStep, row: StepRow, rows: ReadonlyMap<string, StepRow>): boolean {
  return !ENDED.includes(row.status) && step.dependsOn.every((id) => ["complete", "skipped"].includes(rows.get(id)?.status ?? ""));
}

/** Brings one step as far as it goes, and commits where that is. Empty when it ended. */
async function advanceStep(context: RunContext, frame: Frame, step: ProjectStep, row: StepRow): Promise<Waiting[]> {
  const { memory } = context;
  const scope = scopeOf(context, frame);
  if (row.status === "pending") {
    const skipped = skipReason(frame, step, rowsOf(context, frame), scope);
    if (skipped) return settle(context, row, skipped);
    await begin(context, step, row);
    memory.setStep(row.id, { status: "running" });
  }
  // A step that waits for a person's review goes on when they have spoken; until then there is nothing to do.
  if (row.status === "needs_human_review") return [{ for: "review" }];
  const outcome = await followStep({ id: row.id, key: row.key, kind: step.kind }, () => guardStep(context, () => runStep(context, frame, step, memory.steps.get(row.id) ?? row, scope)));
  return outcome.kind === "waiting" ? outcome.waiting : settle(context, row, outcome);
}

/** An agent's step has its first turn to be written with. */
async function begin({ deps, memory, starts, writes }: RunContext, step: ProjectStep, row: StepRow): Promise<void> {
  const isAgent = step.kind === "agent" && !("for_each" in step.definition && step.definition.for_each);
  if (isAgent) starts.add(row, deps.now());
  else await writes.later((db) => moveStep(db, memory.lease, { stepId: row.id, key: row.key, to: "running" }, deps.now()));
}

async function settle(context: RunContext, row: StepRow, outcome: Exclude<StepOutcome, { kind: "waiting" }>): Promise<Waiting[]> {
  const { deps, memory, starts, writes } = context;
  const move = toMove(row, outcome);
  await starts.writeAll();
  if (endsRun(memory, row, move)) memory.lastMove = move;
  else await writes.later((db) => moveStep(db, memory.lease, move, deps.now()));
  memory.setStep(row.id, { status: move.to, output: move.output ?? null, error: move.error ?? null });
  return [];
}

/** Whether the run ends with this step, so that both can be written at once: nothing else is under way, and nothing is left, or nothing more begins. */
function endsRun(memory: RunMemory, row: StepRow, { to }: StepMove): boolean {
  if (row.parentId !== null || memory.lastMove) return false;
  return memory.childrenOf(null).every((other) => other.id === row.id || ENDED.includes(other.status) || (to === "failed" && other.status === "pending"));
}

function skipReason(frame: Frame, step: ProjectStep, rows: ReadonlyMap<string, StepRow>, scope: TemplateScope): Exclude<StepOutcome, { kind: "waiting" }> | null {
  const skipped = step.dependsOn.find((id) => rows.get(id)?.status === "skipped");
  if (skipped !== undefined) return { kind: "skipped", reason: `depends_on_skipped:${skipped}` };
  const { condition } = step.definition;
  if (condition === undefined) return null;
  try {
    const holds = isTruthy(compile(condition, { stepIds: frame.workflow.steps.map(({ id }) => id) }).evaluate({ step: scope.step, params: scope.params, ...scope.step }));
    return holds ? null : { kind: "skipped", reason: "condition_false" };
  } catch (error) {
    return { kind: "failed", error: { code: "condition_failed", message: (error as Error).message } };
  }
}

function rowsOf({ memory }: RunContext, frame: Frame): Map<string, StepRow> {
  return new Map(memory.childrenOf(frame.parentId).filter((row) => row.itemIndex === null).map((row) => [row.key, row]));
}

function scopeOf(context: RunContext, frame: Frame): TemplateScope {
  const ended = [...rowsOf(context, frame).values()].filter((row) => row.status === "complete" || row.status === "skipped");
  return { params: frame.params, step: Object.fromEntries(ended.map((row) => [row.key, row.output])), ...(frame.env ? { env: frame.env } : {}) };
}

/** The steps of a sub-workflow are added below the step that runs it, the first time. */
async function addSteps(context: RunContext, frame: Frame): Promise<void> {
  const { parentId } = frame;
  if (parentId === null || rowsOf(context, frame).size > 0) return;
  const { deps, memory, writes } = context;
  const children = frame.workflow.steps.map((step) => ({ id: createId("step"), parentId, key: step.id, type: step.kind, agent: step.agent?.name ?? null, itemIndex: null, input: null }));
  held(await writes.now((db) => addChildSteps(db, memory.lease, children, deps.now())));
  for (const child of children) memory.addStep({ ...child, status: "pending", output: null, rawOutput: null, error: null, degraded: false, state: {} });
}

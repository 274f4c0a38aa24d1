/**
 * Runs the steps of one workflow, in parallel where no order is required, until all have ended, one has failed, or all
 * remaining ones wait.
 */
import { compile, isTruthy } from "@/lib/config/jmespath";
import type { ProjectStep } from "@/lib/config/project";
import type { TemplateScope } from "@/lib/config/template";
import { guardStep } from "@/lib/runs/advance/guard-step";
import type { Frame, RunContext } from "@/lib/runs/advance/run-context";
import { toMove } from "@/lib/runs/advance/run-fan-out";
import { runStep, type StepAtWork } from "@/lib/runs/advance/run-step";
import { runTogether } from "@/lib/runs/advance/run-together";
import { failsRun, type StepOutcome, type Waiting } from "@/lib/runs/advance/step-outcome";
import { toOutput } from "@/lib/runs/advance/to-output";
import { createId } from "@/lib/ids";
import type { StepRow } from "@/lib/runs/snapshot";
import { followStep } from "@/lib/telemetry/record-step";

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
      return row && isRunnable(step, row, rows)
        ? [[step.id, () => advanceStep(context, frame, { step, row })] as const]
        : [];
    });
  };
  const waits = await runTogether(memory, { ready, isStopping });
  const failed = findFailed();
  if (failed)
    return { kind: "failed", error: { ...(failed.error ?? { code: "failed", message: "" }), step: failed.key } };
  if (isStopping()) return { kind: "waiting", waiting: [{ for: "stop" }] };
  if (waits.length > 0) return { kind: "waiting", waiting: waits };
  const skipped = [...rowsOf(context, frame).values()].filter((row) => row.status === "skipped").map((row) => row.key);
  return toOutput(frame, scopeOf(context, frame), skipped);
}

const ENDED = ["complete", "skipped", "failed", "cancelled"];

function isRunnable(step: ProjectStep, row: StepRow, rows: ReadonlyMap<string, StepRow>): boolean {
  return (
    !ENDED.includes(row.status) &&
    step.dependsOn.every((id) => ["complete", "skipped"].includes(rows.get(id)?.status ?? ""))
  );
}

/** Advances one step as far as possible, and commits the result. Empty when it ended. */
async function advanceStep(
  context: RunContext,
  frame: Frame,
  { step, row }: { step: ProjectStep; row: StepRow },
): Promise<Waiting[]> {
  const { memory } = context;
  const scope = scopeOf(context, frame);
  if (row.status === "pending") {
    const skipped = skipReason({ frame, step, scope }, rowsOf(context, frame));
    if (skipped) return settle(context, row, skipped);
    await begin(context, step, row);
  }
  // A step that waits for a person's review continues after it; until then there is nothing to do.
  if (row.status === "needs_human_review") return [{ for: "review" }];
  const outcome = await followStep({ id: row.id, key: row.key, kind: step.kind }, () =>
    guardStep(context, () => runStep(context, { frame, step, row: memory.steps.get(row.id) ?? row, scope })),
  );
  return outcome.kind === "waiting" ? outcome.waiting : settle(context, row, outcome);
}

/** A step that takes longer than this to its first turn is shown as running meanwhile. */
const START_ALONE_AFTER_MS = 50;

/**
 * Nothing outside happens before an agent's first turn is on record, so its start is written together with that turn.
 */
async function begin({ deps, writes }: RunContext, step: ProjectStep, row: StepRow): Promise<void> {
  const isAgent = step.kind === "agent" && !("for_each" in step.definition && step.definition.for_each);
  const move = { stepId: row.id, key: row.key, to: "running" } as const;
  const options = isAgent ? { withinMs: START_ALONE_AFTER_MS } : {};
  await writes.later({ kind: "step_moved", at: deps.now().toISOString(), move }, options);
}

async function settle(
  { deps, writes }: RunContext,
  row: StepRow,
  outcome: Exclude<StepOutcome, { kind: "waiting" }>,
): Promise<Waiting[]> {
  await writes.later({ kind: "step_moved", at: deps.now().toISOString(), move: toMove(row, outcome) });
  return [];
}

function skipReason(
  { frame, step, scope }: Pick<StepAtWork, "frame" | "step" | "scope">,
  rows: ReadonlyMap<string, StepRow>,
): Exclude<StepOutcome, { kind: "waiting" }> | null {
  const skipped = step.dependsOn.find((id) => rows.get(id)?.status === "skipped");
  if (skipped !== undefined) return { kind: "skipped", reason: `depends_on_skipped:${skipped}` };
  const { condition } = step.definition;
  if (condition === undefined) return null;
  try {
    const holds = isTruthy(
      compile(condition, { stepIds: frame.workflow.steps.map(({ id }) => id) }).evaluate({
        step: scope.step,
        params: scope.params,
        ...scope.step,
      }),
    );
    return holds ? null : { kind: "skipped", reason: "condition_false" };
  } catch (error) {
    return { kind: "failed", error: { code: "condition_failed", message: (error as Error).message } };
  }
}

function rowsOf({ memory }: RunContext, frame: Frame): Map<string, StepRow> {
  return new Map(
    memory
      .childrenOf(frame.parentId)
      .filter((row) => row.itemIndex === null)
      .map((row) => [row.key, row]),
  );
}

function scopeOf(context: RunContext, frame: Frame): TemplateScope {
  const ended = [...rowsOf(context, frame).values()].filter(
    (row) => row.status === "complete" || row.status === "skipped",
  );
  return {
    params: frame.params,
    step: Object.fromEntries(ended.map((row) => [row.key, row.output])),
    ...(frame.env ? { env: frame.env } : {}),
  };
}

/** The steps of a sub-workflow are added below the step that runs it, the first time. */
async function addSteps(context: RunContext, frame: Frame): Promise<void> {
  const { parentId } = frame;
  if (parentId === null || rowsOf(context, frame).size > 0) return;
  const { deps, writes } = context;
  const steps = frame.workflow.steps.map((step) => ({
    id: createId("step"),
    parentId,
    key: step.id,
    type: step.kind,
    agent: step.agent?.name ?? null,
  }));
  await writes.later({ kind: "steps_added", at: deps.now().toISOString(), steps });
}

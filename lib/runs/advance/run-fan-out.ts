/**
 * Runs a step once for each item of a list, a limited number at a time, until too many have failed. Results are in the
 * order of the list.
 */
import type { AgentStep } from "@/lib/config/step-schema";
import type { ProjectStep } from "@/lib/config/project";
import type { TemplateScope } from "@/lib/config/template";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { guardStep } from "@/lib/runs/advance/guard-step";
import { readFrom } from "@/lib/runs/advance/run-transform";
import { runTogether } from "@/lib/runs/advance/run-together";
import { failsRun, type StepError, type StepOutcome, type Waiting } from "@/lib/runs/advance/step-outcome";
import { createId } from "@/lib/ids";
import type { StepMove } from "@/lib/runs/changes/step-moved";
import type { StepRow } from "@/lib/runs/snapshot";

type ForEach = NonNullable<AgentStep["for_each"]>;
type RunItem = (item: { row: StepRow; scope: TemplateScope }) => Promise<StepOutcome>;

interface FanOut {
  step: ProjectStep;
  row: StepRow;
  forEach: ForEach;
  scope: TemplateScope;
}

export async function runFanOut(
  context: RunContext,
  { step, row, forEach, scope }: FanOut,
  runItem: RunItem,
): Promise<StepOutcome> {
  const list = readFrom(forEach.from, scope);
  if (!Array.isArray(list))
    return { kind: "failed", error: { code: "not_a_list", message: `for_each.from ${forEach.from} is not a list.` } };
  const values = forEach.max_items === undefined ? list : list.slice(0, forEach.max_items);
  const items = await itemRows(context, { step, row }, values);
  const { memory, signal } = context;
  const open = new Map(items.filter((item) => !isEnded(item)).map((item) => [item.id, item]));
  const failed = items.filter((item) => item.status === "failed");
  const isOver = () =>
    (forEach.max_failures >= 0 && failed.length > forEach.max_failures) || failed.some((item) => failsRun(item.error));
  const isStopping = () => signal.aborted || memory.failing || isOver();
  const runOpen = async (item: StepRow) => {
    const itemScope = { ...scope, item: values[item.itemIndex ?? 0], item_index: item.itemIndex ?? 0 };
    const waits = await runOne(context, memory.steps.get(item.id) ?? item, (row) => runItem({ row, scope: itemScope }));
    const row = memory.steps.get(item.id) ?? item;
    if (isEnded(row)) open.delete(item.id);
    if (row.status === "failed") failed.push(row);
    return waits;
  };
  const waiting = await runTogether(memory, {
    ready: () => [...open.values()].map((item) => [item.id, () => runOpen(item)] as const),
    isStopping,
    limit: forEach.concurrency,
  });
  if (isOver()) return { kind: "failed", error: toError(failed, forEach) };
  if (isStopping()) return { kind: "waiting", waiting: [{ for: "stop" }] };
  if (waiting.length > 0) return { kind: "waiting", waiting };
  return { kind: "complete", output: { results: items.map((item) => resultOf(context, item)) } };
}

/** An error that must end the whole run is reported as it is; otherwise how many failed, and why the last one did. */
function toError(failed: readonly StepRow[], { max_failures: max }: ForEach): StepError {
  const fatal = failed.find((item) => failsRun(item.error));
  if (fatal?.error) return { ...fatal.error, item_index: fatal.itemIndex };
  return {
    code: "too_many_failures",
    message: `${failed.length} items of the fan-out failed, and ${max} may. The last one: ${failed.at(-1)?.error?.message ?? ""}`,
  };
}

async function runOne(
  context: RunContext,
  item: StepRow,
  run: (row: StepRow) => Promise<StepOutcome>,
): Promise<Waiting[]> {
  const { deps, memory, writes } = context;
  if (item.status === "pending") {
    const move = { stepId: item.id, key: item.key, to: "running" } as const;
    await writes.later({ kind: "step_moved", at: deps.now().toISOString(), move });
  }
  const outcome = await guardStep(context, () => run(memory.steps.get(item.id) ?? item));
  if (outcome.kind === "waiting") return outcome.waiting;
  await writes.later({ kind: "step_moved", at: deps.now().toISOString(), move: toMove(item, outcome) });
  return [];
}

export function toMove(row: StepRow, outcome: Exclude<StepOutcome, { kind: "waiting" }>): StepMove {
  const base = { stepId: row.id, key: row.key };
  switch (outcome.kind) {
    case "complete":
      return {
        ...base,
        to: "complete",
        output: outcome.output,
        ...(outcome.degraded && { degraded: true }),
        ...(outcome.notes ? { state: { notes: outcome.notes } } : {}),
      };
    case "skipped":
      return { ...base, to: "skipped", output: { skipped: true, reason: outcome.reason } };
    case "failed":
      return { ...base, to: "failed", error: outcome.error, rawOutput: outcome.rawOutput };
  }
}

const isEnded = (row: StepRow): boolean =>
  row.status === "complete" || row.status === "failed" || row.status === "skipped";

function resultOf({ memory }: RunContext, item: StepRow): unknown {
  const row = memory.steps.get(item.id) ?? item;
  return row.status === "failed"
    ? { ktsu_error: row.error?.message ?? "failed", item_index: row.itemIndex }
    : row.output;
}

async function itemRows(
  context: RunContext,
  { step, row }: Pick<FanOut, "step" | "row">,
  values: unknown[],
): Promise<StepRow[]> {
  const { deps, memory } = context;
  const find = () =>
    memory
      .childrenOf(row.id)
      .filter((child) => child.itemIndex !== null)
      .sort((a, b) => (a.itemIndex ?? 0) - (b.itemIndex ?? 0));
  if (find().length === values.length) return find();
  const agent = step.agent?.name ?? null;
  const steps = values.map((_value, itemIndex) => ({
    id: createId("step"),
    parentId: row.id,
    key: row.key,
    type: row.type,
    agent,
    itemIndex,
  }));
  await context.writes.now({ kind: "steps_added", at: deps.now().toISOString(), steps });
  return find();
}

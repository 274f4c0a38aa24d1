/** Runs an agent that another one called: in its own step below the caller's, within the caller's grants. */
import type { ProjectSubagent } from "@/lib/config/project";
import { renderTemplate } from "@/lib/config/template";
import { toSubagentScopes } from "@/lib/policy/agent-scope";
import type { AgentAtWork } from "@/lib/runs/advance/agent-tools";
import { PAUSED_RECHECK_MS } from "@/lib/runs/advance/dispatch-call";
import { fillParams } from "@/lib/runs/advance/fill-params";
import { runAgent } from "@/lib/runs/advance/run-agent";
import type { RunSubagent } from "@/lib/runs/advance/run-calls";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { beginCall } from "@/lib/runs/advance/begin-call";
import { toMove } from "@/lib/runs/advance/run-fan-out";
import { failsRun, type StepOutcome, type Waiting } from "@/lib/runs/advance/step-outcome";
import { stepOf } from "@/lib/runs/changes/move";
import { createId } from "@/lib/ids";
import type { CallRow, StepRow } from "@/lib/runs/snapshot";

/** Deeper nesting is refused: an agent that calls itself through others would never end. */
const DEPTH_MAX = 5;

export function createSubagentRunner(context: RunContext, stepId: string, parent: AgentAtWork): RunSubagent {
  return async (call) => {
    const { deps, memory } = context;
    if (call.status !== "executing" || call.epoch !== memory.lease.epoch) {
      const begun = await beginCall(context, call);
      if (begun.kind === "refused") return [{ for: "time", until: new Date(deps.now().getTime() + PAUSED_RECHECK_MS) }];
    }
    const outcome = await runNested(context, { stepId, parent }, call);
    return outcome.kind === "waiting" ? outcome.waiting : keep(context, call, outcome);
  };
}

async function runNested(
  context: RunContext,
  { stepId, parent }: { stepId: string; parent: AgentAtWork },
  call: CallRow,
): Promise<StepOutcome> {
  const subagent = parent.agent.subagents.find((candidate) => candidate.agent.name === call.tool);
  if (!subagent) throw new Error(`unreachable: ${parent.agent.name} has no sub-agent ${call.tool}`);
  if (parent.scopes.length >= DEPTH_MAX)
    return {
      kind: "failed",
      error: { code: "too_deep", message: `Agents call one another more than ${DEPTH_MAX} deep.` },
    };
  const row = await childStep(context, stepId, call);
  if (row.status === "complete") return { kind: "complete", output: row.output };
  if (row.status === "failed") return { kind: "failed", error: row.error ?? { code: "failed", message: "" } };
  if (row.status === "skipped") return { kind: "skipped", reason: "the sub-agent saw nothing to do" };
  const work: AgentAtWork = {
    agent: subagent.agent,
    params: fillParams(
      `agent ${subagent.agent.name}`,
      subagent.agent.definition.params?.schema as Record<string, unknown> | undefined,
      paramsOf(call, parent, subagent),
    ),
    scopes: toSubagentScopes(context.loaded.project, parent, subagent),
    step: null,
  };
  const outcome = await runAgent(context, {
    stepId: row.id,
    stepKey: row.key,
    parentCallId: call.id,
    work,
    envelope: null,
    model: undefined,
    confidenceThreshold: null,
    outputSchemas: subagent.agent.definition.output
      ? [subagent.agent.definition.output.schema as Record<string, unknown>]
      : [],
    runSubagent: createSubagentRunner(context, row.id, work),
  });
  if (outcome.kind === "waiting") return outcome;
  const { deps, writes } = context;
  await writes.later({ kind: "step_moved", at: deps.now().toISOString(), move: toMove(row, outcome) });
  return outcome;
}

/** What the caller's model gave, overridden by what the caller's file fixes: the only way for a secret. */
function paramsOf(call: CallRow, parent: AgentAtWork, subagent: ProjectSubagent): Record<string, unknown> {
  const fixed = renderTemplate(subagent.params, { params: parent.params }) as Record<string, unknown>;
  return { ...(JSON.parse(call.argumentsCanonical) as Record<string, unknown>), ...fixed };
}

async function childStep(context: RunContext, parentId: string, call: CallRow): Promise<StepRow> {
  const { deps, memory, writes } = context;
  const existing = memory.childrenOf(parentId).find((step) => step.key === call.id);
  if (existing) return existing;
  const at = deps.now().toISOString();
  const child = { id: createId("step"), parentId, key: call.id, type: "agent" as const, agent: call.tool };
  await writes.later({ kind: "steps_added", at, steps: [child] });
  await writes.later({ kind: "step_moved", at, move: { stepId: child.id, key: child.key, to: "running" } });
  return stepOf(memory.snapshot, child.id);
}

/** A failing sub-agent is a failed call to its caller, which may continue without it. */
async function keep(
  context: RunContext,
  call: CallRow,
  outcome: Exclude<StepOutcome, { kind: "waiting" }>,
): Promise<Waiting[]> {
  const { deps, writes } = context;
  const failed = outcome.kind === "failed";
  const data =
    outcome.kind === "complete"
      ? outcome.output
      : outcome.kind === "skipped"
        ? { skipped: true, reason: outcome.reason }
        : null;
  const output = failed ? outcome.error.message : JSON.stringify(data);
  const kept = {
    status: failed ? ("failed" as const) : ("succeeded" as const),
    result: {
      success: !failed,
      output,
      content: [],
      structured_content: data,
      is_error: failed,
      error: failed ? outcome.error.message : null,
    },
    error: failed
      ? {
          code: outcome.error.code,
          message: outcome.error.message,
          ...(failsRun(outcome.error) ? { fails_run: true as const } : {}),
        }
      : null,
  };
  await writes.later({
    kind: "call_ended",
    at: deps.now().toISOString(),
    callId: call.id,
    durationMs: 0,
    refundUsd: 0,
    ...kept,
  });
  return [];
}

/** Runs an agent that another one called: in a step of its own below the caller's, within the caller's grants. */
import type { ProjectSubagent } from "@/lib/config/project";
import { renderTemplate } from "@/lib/config/template";
import { toSubagentScopes } from "@/lib/domain/policy/agent-scope";
import type { AgentAtWork } from "@/lib/engine/advance/agent-tools";
import { PAUSED_RECHECK_MS } from "@/lib/engine/advance/dispatch-call";
import { fillParams } from "@/lib/engine/advance/fill-params";
import { runAgent } from "@/lib/engine/advance/run-agent";
import type { RunSubagent } from "@/lib/engine/advance/run-calls";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { LeaseLost } from "@/lib/engine/advance/run-memory";
import { toMove } from "@/lib/engine/advance/run-fan-out";
import { failsRun, type StepOutcome, type Waiting } from "@/lib/engine/advance/step-outcome";
import { createId } from "@/lib/ids";
import type { CallRow, StepRow } from "@/lib/store/queries/load-run";
import { addChildSteps } from "@/lib/store/transitions/add-child-steps";
import { beginExecuting, recordResult } from "@/lib/store/transitions/execute-call";
import { moveStep } from "@/lib/store/transitions/settle-step";

/** Deeper nesting is refused: an agent that calls itself through others would never end. */
const DEPTH_MAX = 5;

export function createSubagentRunner(context: RunContext, stepId: string, parent: AgentAtWork): RunSubagent {
  return async (call) => {
    const { deps, memory, writes } = context;
    if (call.status !== "executing" || call.epoch !== memory.lease.epoch) {
      const begun = await writes.now((db) => beginExecuting(db, memory.lease, call, deps.now()));
      if (begun.kind === "lost") throw new LeaseLost("another process has this run now");
      if (begun.kind === "refused") return [{ for: "time", until: new Date(deps.now().getTime() + PAUSED_RECHECK_MS) }];
      memory.setCall(call.id, { status: "executing", epoch: memory.lease.epoch });
    }
    const outcome = await runNested(context, stepId, parent, call);
    return outcome.kind === "waiting" ? outcome.waiting : keep(context, call, outcome);
  };
}

async function runNested(context: RunContext, stepId: string, parent: AgentAtWork, call: CallRow): Promise<StepOutcome> {
  const subagent = parent.agent.subagents.find((candidate) => candidate.agent.name === call.tool);
  if (!subagent) throw new Error(`unreachable: ${parent.agent.name} has no sub-agent ${call.tool}`);
  if (parent.scopes.length >= DEPTH_MAX) return { kind: "failed", error: { code: "too_deep", message: `Agents call one another more than ${DEPTH_MAX} deep.` } };
  const row = await childStep(context, stepId, call);
  if (row.status === "complete") return { kind: "complete", output: row.output };
  if (row.status === "failed") return { kind: "failed", error: row.error ?? { code: "failed", message: "" } };
  if (row.status === "skipped") return { kind: "skipped", reason: "the sub-agent saw nothing to do" };
  const work: AgentAtWork = {
    agent: subagent.agent,
    params: fillParams(`agent ${subagent.agent.name}`, subagent.agent.definition.params?.schema as Record<string, unknown> | undefined, paramsOf(call, parent, subagent)),
    scopes: toSubagentScopes(context.loaded.project, parent.scopes, parent.agent, subagent),
    step: null,
  };
  const outcome = await runAgent(context, {
    stepId: row.id,
    stepKey: row.key,
    parentCallId: call.id,
    work,
    model: undefined,
    confidenceThreshold: null,
    outputSchemas: subagent.agent.definition.output ? [subagent.agent.definition.output.schema as Record<string, unknown>] : [],
    runSubagent: createSubagentRunner(context, row.id, work),
  });
  if (outcome.kind === "waiting") return outcome;
  const { deps, memory, writes } = context;
  const move = toMove(row, outcome);
  await writes.later((db) => moveStep(db, memory.lease, move, deps.now()));
  memory.setStep(row.id, { status: move.to, output: move.output ?? null, error: move.error ?? null });
  return outcome;
}

/** What the caller's model gave, and over it what the caller's file fixes: the one way for a secret. */
function paramsOf(call: CallRow, parent: AgentAtWork, subagent: ProjectSubagent): Record<string, unknown> {
  const fixed = renderTemplate(subagent.params, { params: parent.params }) as Record<string, unknown>;
  return { ...(JSON.parse(call.argumentsCanonical) as Record<string, unknown>), ...fixed };
}

async function childStep(context: RunContext, parentId: string, call: CallRow): Promise<StepRow> {
  const { deps, memory, writes } = context;
  const existing = memory.childrenOf(parentId).find((step) => step.key === call.id);
  if (existing) return existing;
  const child = { id: createId("step"), parentId, key: call.id, type: "agent" as const, agent: call.tool, itemIndex: null, input: null };
  await writes.later((db) => addChildSteps(db, memory.lease, [child], deps.now()));
  await writes.later((db) => moveStep(db, memory.lease, { stepId: child.id, key: child.key, to: "running" }, deps.now()));
  const row: StepRow = { ...child, status: "running", output: null, rawOutput: null, error: null, degraded: false, state: {} };
  memory.addStep(row);
  return row;
}

/** A sub-agent that fails is a failed call to its caller, which may go on without it. */
async function keep(context: RunContext, call: CallRow, outcome: Exclude<StepOutcome, { kind: "waiting" }>): Promise<Waiting[]> {
  const { deps, memory, writes } = context;
  const failed = outcome.kind === "failed";
  const data = outcome.kind === "complete" ? outcome.output : outcome.kind === "skipped" ? { skipped: true, reason: outcome.reason } : null;
  const output = failed ? outcome.error.message : JSON.stringify(data);
  const kept = {
    status: failed ? ("failed" as const) : ("succeeded" as const),
    result: { success: !failed, output, content: [], structured_content: data, is_error: failed, error: failed ? outcome.error.message : null },
    error: failed ? { code: outcome.error.code, message: outcome.error.message, ...(failsRun(outcome.error) ? { fails_run: true as const } : {}) } : null,
  };
  await writes.later((db) => recordResult(db, memory.lease, { callId: call.id, durationMs: 0, ...kept }, deps.now()));
  memory.setCall(call.id, kept);
  return [];
}

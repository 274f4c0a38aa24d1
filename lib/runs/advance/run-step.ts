/** One step of a pipeline, by its kind: once, or once for each item of a list. */
import { isClientWorkflow } from "@/lib/config/profile-parts";
import type { ProjectStep } from "@/lib/config/project";
import type { AgentStep, TransformStep, WebhookStep, WorkflowStep } from "@/lib/config/step-schema";
import { renderTemplate, type TemplateScope } from "@/lib/config/template";
import { agentOfStep } from "@/lib/runs/advance/agent-of-step";
import { fillParams } from "@/lib/runs/advance/fill-params";
import { runAgent } from "@/lib/runs/advance/run-agent";
import { runClientCall } from "@/lib/runs/advance/run-client-call";
import type { Frame, RunContext } from "@/lib/runs/advance/run-context";
import { runFanOut } from "@/lib/runs/advance/run-fan-out";
import { createSubagentRunner } from "@/lib/runs/advance/run-subagent";
import { runTransform } from "@/lib/runs/advance/run-transform";
import { runWebhook } from "@/lib/runs/advance/run-webhook";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";
import type { StepRow } from "@/lib/runs/snapshot";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

/** One step of a frame, its record, and what its templates can read. */
export interface StepAtWork {
  frame: Frame;
  step: ProjectStep;
  row: StepRow;
  scope: TemplateScope;
}

export async function runStep(context: RunContext, work: StepAtWork): Promise<StepOutcome> {
  const { step, row } = work;
  const { definition } = step;
  if ("for_each" in definition && definition.for_each && row.itemIndex === null) {
    return runFanOut(context, { ...work, forEach: definition.for_each }, (item) =>
      runStep(context, { ...work, ...item }),
    );
  }
  if (step.kind === "agent") return runAgentStep(context, work);
  return checkOutput(step, await runPlain(context, work));
}

async function runPlain(context: RunContext, work: StepAtWork): Promise<StepOutcome> {
  const { frame, step, row, scope } = work;
  const { definition } = step;
  switch (step.kind) {
    case "transform":
      return runTransform(definition as TransformStep, scope);
    case "webhook":
      if (!frame.sendsWebhooks) return { kind: "skipped", reason: "webhooks_suppressed" };
      return runWebhook(context, { row, step: definition as WebhookStep, scope });
    case "workflow":
      return runSubWorkflow(context, work);
    case "agent":
      throw new Error("unreachable: an agent step is not a plain one");
  }
}

/** An agent gets its schema violations back; the output of any other step either fits or fails. */
function checkOutput({ id, definition }: ProjectStep, outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== "complete" || !definition.output?.schema) return outcome;
  const schema = definition.output.schema as Record<string, unknown>;
  const fit = checkAgainstSchema(schema, outcome.output);
  if (fit.kind === "fits") return outcome;
  const problem = fit.kind === "violation" ? fit.problems.join("; ") : fit.reason;
  return {
    kind: "failed",
    error: { code: "output_invalid", message: `The output of step ${id} does not fit its schema: ${problem}`, schema },
    rawOutput: outcome.output,
  };
}

async function runAgentStep(context: RunContext, { frame, step, row, scope }: StepAtWork): Promise<StepOutcome> {
  const definition = step.definition as AgentStep;
  const work = agentOfStep(context, { workflow: frame.workflow, step, scope });
  if (isClientWorkflow(frame.workflow.name)) return runClientCall(context, { row, work });
  const { agent } = work;
  const isBare = agent.definition.params === undefined && !hasParams(definition.params);
  return runAgent(context, {
    stepId: row.id,
    stepKey: row.key,
    parentCallId: null,
    work,
    envelope: isBare ? toEnvelope(step, scope) : null,
    model: definition.model,
    confidenceThreshold: definition.confidence_threshold ?? null,
    outputSchemas: [agent.definition.output?.schema, definition.output?.schema].filter(
      (schema) => schema !== undefined,
    ) as Readonly<Record<string, unknown>>[],
    runSubagent: createSubagentRunner(context, row.id, work),
  });
}

const hasParams = ({ server: _server, ...params }: AgentStep["params"]): boolean => Object.keys(params).length > 0;

/**
 * The workflow's params and the outputs of previous steps: the input of agents of older projects, which declare no
 * params.
 */
function toEnvelope(
  { dependsOn }: ProjectStep,
  { params = {}, step = {} }: TemplateScope,
): Readonly<Record<string, unknown>> {
  return { params, ...(dependsOn.length > 0 && { step: Object.fromEntries(dependsOn.map((id) => [id, step[id]])) }) };
}

async function runSubWorkflow(context: RunContext, { frame, step, row, scope }: StepAtWork): Promise<StepOutcome> {
  const definition = step.definition as WorkflowStep;
  const { workflow } = step;
  if (!workflow) throw new Error(`unreachable: workflow step ${step.id} without a workflow`);
  const given = renderTemplate(definition.input ?? definition.params ?? {}, scope) as Record<string, unknown>;
  const params = fillParams(
    `workflow ${workflow.name}`,
    workflow.definition.params?.schema as Record<string, unknown> | undefined,
    given,
  );
  const sendsWebhooks =
    frame.sendsWebhooks && definition.webhooks === "execute" && workflow.definition.webhooks === "execute";
  return context.runFrame({ parentId: row.id, workflow, params, env: null, sendsWebhooks });
}

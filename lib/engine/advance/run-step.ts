/** One step of a pipeline, by its kind: once, or once for each item of a list. */
import { renderStepParams } from "@/lib/config/resolve-server";
import type { ProjectStep } from "@/lib/config/project";
import type { AgentStep, TransformStep, WebhookStep, WorkflowStep } from "@/lib/config/step-schema";
import { renderTemplate, type TemplateScope } from "@/lib/config/template";
import { toAgentScope } from "@/lib/domain/policy/agent-scope";
import { fillParams } from "@/lib/engine/advance/fill-params";
import { runAgent } from "@/lib/engine/advance/run-agent";
import type { Frame, RunContext } from "@/lib/engine/advance/run-context";
import { runFanOut } from "@/lib/engine/advance/run-fan-out";
import { createSubagentRunner } from "@/lib/engine/advance/run-subagent";
import { runTransform } from "@/lib/engine/advance/run-transform";
import { runWebhook } from "@/lib/engine/advance/run-webhook";
import type { StepOutcome } from "@/lib/engine/advance/step-outcome";
import type { StepRow } from "@/lib/store/queries/load-run";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

export async function runStep(context: RunContext, frame: Frame, step: ProjectStep, row: StepRow, scope: TemplateScope): Promise<StepOutcome> {
  const { definition } = step;
  if ("for_each" in definition && definition.for_each && row.itemIndex === null) {
    return runFanOut(context, step, row, definition.for_each, scope, (item, itemScope) => runStep(context, frame, step, item, itemScope));
  }
  if (step.kind === "agent") return runAgentStep(context, frame, step, row, scope);
  return checkOutput(step, await runPlain(context, frame, step, row, scope));
}

async function runPlain(context: RunContext, frame: Frame, step: ProjectStep, row: StepRow, scope: TemplateScope): Promise<StepOutcome> {
  const { definition } = step;
  switch (step.kind) {
    case "transform":
      return runTransform(definition as TransformStep, scope);
    case "webhook":
      if (!frame.sendsWebhooks) return { kind: "skipped", reason: "webhooks_suppressed" };
      return runWebhook(context, row, definition as WebhookStep, scope);
    case "workflow":
      return runSubWorkflow(context, frame, step, row, scope);
    case "agent":
      throw new Error("unreachable: an agent step is not a plain one");
  }
}

/** An agent is given its misfits back by itself; what any other step gives is either right or not. */
function checkOutput({ id, definition }: ProjectStep, outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== "complete" || !definition.output?.schema) return outcome;
  const schema = definition.output.schema as Record<string, unknown>;
  const fit = checkAgainstSchema(schema, outcome.output);
  if (fit.kind === "fits") return outcome;
  const problem = fit.kind === "misfit" ? fit.problems.join("; ") : fit.reason;
  return { kind: "failed", error: { code: "output_invalid", message: `The output of step ${id} does not fit its schema: ${problem}`, schema }, rawOutput: outcome.output };
}

async function runAgentStep(context: RunContext, frame: Frame, step: ProjectStep, row: StepRow, scope: TemplateScope): Promise<StepOutcome> {
  const definition = step.definition as AgentStep;
  const { agent } = step;
  if (!agent) throw new Error(`unreachable: agent step ${step.id} without an agent`);
  const { agentParams, serverParams } = renderStepParams(definition.params, scope);
  const params = fillParams(`agent ${agent.name}`, agent.definition.params?.schema as Record<string, unknown> | undefined, agentParams);
  const work = { agent, params, scopes: [toAgentScope(context.loaded.project, agent)], step: { workflow: frame.workflow, step, serverParams } };
  return runAgent(context, {
    stepId: row.id,
    stepKey: row.key,
    parentCallId: null,
    work,
    model: definition.model,
    confidenceThreshold: definition.confidence_threshold ?? null,
    outputSchemas: [agent.definition.output?.schema, definition.output?.schema].filter((schema) => schema !== undefined) as Readonly<Record<string, unknown>>[],
    runSubagent: createSubagentRunner(context, row.id, work),
  });
}

async function runSubWorkflow(context: RunContext, frame: Frame, step: ProjectStep, row: StepRow, scope: TemplateScope): Promise<StepOutcome> {
  const definition = step.definition as WorkflowStep;
  const { workflow } = step;
  if (!workflow) throw new Error(`unreachable: workflow step ${step.id} without a workflow`);
  const given = renderTemplate(definition.input ?? definition.params ?? {}, scope) as Record<string, unknown>;
  const params = fillParams(`workflow ${workflow.name}`, workflow.definition.params?.schema as Record<string, unknown> | undefined, given);
  const sendsWebhooks = frame.sendsWebhooks && definition.webhooks === "execute" && workflow.definition.webhooks === "execute";
  return context.runFrame({ parentId: row.id, workflow, params, env: null, sendsWebhooks });
}

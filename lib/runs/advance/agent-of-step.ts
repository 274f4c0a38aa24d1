/** The agent of a step, with its params filled in and what it may do. Throws when the params do not fit. */
import type { ProjectStep, ProjectWorkflow } from "@/lib/config/project";
import { renderStepParams } from "@/lib/config/resolve-server";
import type { AgentStep } from "@/lib/config/step-schema";
import type { TemplateScope } from "@/lib/config/template";
import { toAgentScope } from "@/lib/policy/agent-scope";
import type { AgentAtWork } from "@/lib/runs/advance/agent-tools";
import { fillParams } from "@/lib/runs/advance/fill-params";
import type { RunContext } from "@/lib/runs/advance/run-context";

export function agentOfStep(
  { loaded }: Pick<RunContext, "loaded">,
  { workflow, step, scope }: { workflow: ProjectWorkflow; step: ProjectStep; scope: TemplateScope },
): AgentAtWork {
  const { agent } = step;
  if (!agent) throw new Error(`unreachable: agent step ${step.id} without an agent`);
  const { agentParams, serverParams } = renderStepParams((step.definition as AgentStep).params, scope);
  const schema = agent.definition.params?.schema as Record<string, unknown> | undefined;
  const params = fillParams(`agent ${agent.name}`, schema, agentParams);
  const scopes = [toAgentScope(loaded.project, agent)];
  return { agent, params, scopes, step: { workflow, step, serverParams } };
}

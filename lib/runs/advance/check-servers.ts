/**
 * Checks before the first step of a run whether the tool servers of all its agents can be reached. A server whose
 * params come from a step or a model that has not run yet is checked when its agent begins, as all are once more.
 */
import type { ProjectAgent, ProjectWorkflow } from "@/lib/config/project";
import type { AgentStep, WorkflowStep } from "@/lib/config/step-schema";
import { renderTemplate, TemplateError, type TemplateScope } from "@/lib/config/template";
import { type ServerUser, reachServer, toToolServer } from "@/lib/runs/advance/agent-tools";
import { envScope, paramScope, type RunContext } from "@/lib/runs/advance/run-context";
import { guardStep } from "@/lib/runs/advance/guard-step";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";
import { KimitsuError } from "@/lib/errors";

type Failed = Extract<StepOutcome, { kind: "failed" }>;

/** Null when the run may continue. */
export async function checkServers(context: RunContext): Promise<Failed | null> {
  const { deps, memory, loaded, workflow } = context;
  const hasBegun =
    memory.hasTurns ||
    [...memory.steps.values()].some((step) => !["pending", "complete", "skipped"].includes(step.status));
  if (hasBegun) return null;
  const scope = {
    params: paramScope(workflow, memory.run.params),
    env: envScope(loaded.project, workflow, deps.processEnv),
    step: {},
  };
  const outcome = await guardStep(context, async () => {
    // All are waited for, because what one of them writes must not come after the end of the run.
    const reached = await Promise.allSettled(
      listUsers(workflow, scope).flatMap((user) => user.agent.servers.map((entry) => reach(context, user, entry))),
    );
    const reasons: unknown[] = reached.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const [first] = reasons;
    if (first === undefined) return { kind: "complete", output: null };
    if (!reasons.every((reason) => reason instanceof KimitsuError)) throw first;
    throw new KimitsuError("tool_failed", [...new Set(reasons.map(({ message }) => message))].join(" "), {
      cause: first,
    });
  });
  return outcome.kind === "failed" ? outcome : null;
}

async function reach(context: RunContext, user: ServerUser, entry: ProjectAgent["servers"][number]): Promise<void> {
  const tools = tryOrNull(() => toToolServer(context, user, entry));
  if (tools) await reachServer(context, { agent: user.agent, entry, tools });
}

/** Every agent that may work for the workflow, with the params known so far. */
function listUsers(workflow: ProjectWorkflow, scope: TemplateScope): ServerUser[] {
  return workflow.steps.flatMap((step) => {
    if (step.workflow) {
      const { input, params } = step.definition as WorkflowStep;
      return listUsers(step.workflow, {
        params: fillKnown(step.workflow.definition.params?.schema, input ?? params ?? {}, scope),
        step: {},
      });
    }
    if (!step.agent) return [];
    const { server = {}, ...given } = (step.definition as AgentStep).params;
    const params = fillKnown(step.agent.definition.params?.schema, given, scope);
    const serverParams = renderKnown(server as Record<string, unknown>, scope);
    // The step's params for a server override all others, so without them nothing can be said about that server.
    const agent = {
      ...step.agent,
      servers: step.agent.servers.filter(({ name }) => !serverParams.unknown.includes(name)),
    };
    return [
      { agent, params, step: { workflow, step, serverParams: serverParams.known } },
      ...listSubagents(step.agent, params),
    ];
  });
}

/** A model gives a sub-agent its params; only those that the caller's file fixes are known before. */
function listSubagents(parent: ProjectAgent, params: Readonly<Record<string, unknown>>): ServerUser[] {
  return parent.subagents.flatMap(({ agent, params: fixed }) => {
    const { known } = renderKnown(fixed, { params });
    return [{ agent, params: known, step: null }, ...listSubagents(agent, known)];
  });
}

/** With defaults, except for params that are given but not known yet. */
function fillKnown(
  schema: unknown,
  given: Readonly<Record<string, unknown>>,
  scope: TemplateScope,
): Record<string, unknown> {
  const properties = (schema as { properties?: Record<string, { default?: unknown }> } | undefined)?.properties ?? {};
  const defaults = Object.entries(properties).filter(
    ([name, property]) => property.default !== undefined && !Object.hasOwn(given, name),
  );
  return {
    ...Object.fromEntries(defaults.map(([name, property]) => [name, property.default])),
    ...renderKnown(given, scope).known,
  };
}

function renderKnown(
  values: Readonly<Record<string, unknown>>,
  scope: TemplateScope,
): { known: Record<string, unknown>; unknown: string[] } {
  const rendered = Object.entries(values).map(
    ([name, value]) => [name, tryOrNull(() => ({ value: renderTemplate(value, scope) }))] as const,
  );
  return {
    known: Object.fromEntries(rendered.flatMap(([name, found]) => (found ? [[name, found.value]] : []))),
    unknown: rendered.flatMap(([name, found]) => (found ? [] : [name])),
  };
}

/** A real error, not just an unknown value, is reported by the step that it belongs to. */
function tryOrNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError || error instanceof KimitsuError) return null;
    throw error;
  }
}

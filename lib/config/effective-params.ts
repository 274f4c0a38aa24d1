/**
 * The params of a tool server as the files give them to one agent, each with the place that sets it. The precedence is
 * that of `resolveServer`; templates are not filled in.
 */
import type { Project, ProjectAgent, ProjectAgentServer, ProjectStep, ProjectWorkflow } from "./project";
import { asWritten, isClientWorkflow, ownerKind } from "./profile-parts";
import { formatSourceLocation, type SourceLocation } from "./source-location";

export interface EffectiveParam {
  name: string;
  /**
   * As it is written: a literal or a template. `[secret]` for the literal of a param that is marked so; null when
   * nobody gives one.
   */
  value: unknown;
  origin: "default" | "agent" | "profile" | "workflow" | "missing";
  /** `file:line`, in the project folder; where the param is declared if nobody gives a value. */
  source: string;
  secret: boolean;
}

/** The step that runs the agent; null for one that no step gives params to, such as a sub-agent. */
export type SpeakingStep = { workflow: ProjectWorkflow; step: ProjectStep } | null;

type Layer = {
  origin: EffectiveParam["origin"];
  values: Readonly<Record<string, unknown>>;
  locate: (name: string) => SourceLocation;
};

export function listEffectiveParams(
  project: Pick<Project, "locate">,
  agent: ProjectAgent,
  server: ProjectAgentServer,
  step: SpeakingStep,
): EffectiveParam[] {
  const { file, base, definition } = server.server;
  const layers = listLayers(project, agent, server, step);
  return Object.entries(definition.params).map(([name, { secret }]) => {
    const layer = layers.findLast(({ values }) => Object.hasOwn(values, name));
    const source = formatSourceLocation(layer ? layer.locate(name) : project.locate(file, [...base, "params", name]));
    return {
      name,
      value: layer ? show(layer.values[name], secret) : null,
      origin: layer?.origin ?? "missing",
      source,
      secret,
    };
  });
}

/**
 * Every combination in which an agent uses one of its servers: from each step that runs it, or from none. Those with
 * the same params are merged.
 */
export function listParamWays(
  project: Project,
  agent: ProjectAgent,
  server: ProjectAgentServer,
): { steps: string[]; params: EffectiveParam[] }[] {
  const speaking = Object.values(project.workflows).flatMap((workflow) =>
    workflow.steps.filter((step) => step.agent?.name === agent.name).map((step) => ({ workflow, step })),
  );
  const ways = new Map<string, { steps: string[]; params: EffectiveParam[] }>();
  for (const step of speaking.length > 0 ? speaking : [null]) {
    const params = listEffectiveParams(project, agent, server, step);
    const key = JSON.stringify(params);
    const way = ways.get(key) ?? { steps: [], params };
    // The one step of a profile is nothing that anybody wrote.
    if (step && !isClientWorkflow(agent.name)) way.steps.push(`${step.workflow.name}.${step.step.id}`);
    ways.set(key, way);
  }
  return [...ways.values()];
}

function listLayers(
  project: Pick<Project, "locate">,
  agent: ProjectAgent,
  server: ProjectAgentServer,
  step: SpeakingStep,
): Layer[] {
  const { file, base, definition } = server.server;
  const defaults = Object.entries(definition.params).filter(([, param]) => param.default !== undefined);
  const given =
    step && "params" in step.step.definition
      ? (step.step.definition.params as { server?: Record<string, unknown> } | undefined)?.server?.[server.name]
      : undefined;
  return [
    {
      origin: "default",
      values: Object.fromEntries(defaults.map(([name, param]) => [name, param.default])),
      locate: (name) => project.locate(file, [...base, "params", name]),
    },
    {
      origin: ownerKind(agent.name),
      values: asWritten(agent.name, agent.definition.servers[server.index]?.params ?? {}) as Record<string, unknown>,
      locate: (name) => project.locate(agent.file, ["servers", server.index, "params", name]),
    },
    {
      origin: "workflow",
      values: isRecord(given) ? given : {},
      locate: (name) =>
        project.locate(step?.workflow.file ?? agent.file, [
          "pipeline",
          step?.step.index ?? 0,
          "params",
          "server",
          server.name,
          name,
        ]),
    },
  ];
}

/** A template names the source of a secret and does not contain it. */
function show(value: unknown, isSecret: boolean): unknown {
  const isTemplate = typeof value === "string" && /^\s*\{\{[^`]*\}\}\s*$/.test(value);
  return isSecret && !isTemplate ? "[secret]" : value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

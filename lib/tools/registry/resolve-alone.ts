/**
 * Resolves the params of a server without a run, for `kimitsu lock` and for the worker that checks servers: from the
 * first step that uses it, as far as they do not depend on a run.
 */
import {
  findVariable,
  type Project,
  type ProjectAgent,
  type ProjectAgentServer,
  type ProjectServer,
  type ProjectStep,
  type ProjectWorkflow,
} from "@/lib/config/project";
import { profileOfWorkflow } from "@/lib/config/profile-parts";
import { resolveServer } from "@/lib/config/resolve-server";
import { SecretRef, type SecretResolver } from "@/lib/config/secret-ref";
import { renderTemplate, type TemplateScope } from "@/lib/config/template";
import { KimitsuError } from "@/lib/errors";
import type { ToolServer } from "@/lib/tools/tool-server";

export type Variables = Readonly<Record<string, string | undefined>>;
/** By server, by param: a value, or the name of a variable that holds it. */
export type GivenParams = Readonly<Record<string, Readonly<Record<string, { value: string } | { variable: string }>>>>;

interface Usage {
  agent: ProjectAgent;
  server: ProjectAgentServer;
  step: { workflow: ProjectWorkflow; step: ProjectStep } | null;
}

/** Throws `config_invalid`, with what to give on the command line, when no use of the server has all its params. */
export function resolveAlone(
  project: Project,
  server: ProjectServer,
  { given = {}, variables }: { given?: GivenParams; variables: Variables },
): ToolServer {
  const secrets = createResolver(project, variables);
  const reasons: string[] = [];
  for (const usage of listUsages(project, server)) {
    try {
      return {
        definition: server.definition,
        resolved: resolveUsage(project, usage, { given: given[server.name] ?? {}, variables }),
        secrets,
      };
    } catch (error) {
      reasons.push(explainUnset(project, usage, variables) ?? (error as Error).message);
    }
  }
  const names = Object.entries(server.definition.params).map(
    ([name, param]) =>
      `--${param.secret ? "secret" : "param"} ${server.name}.${name}=${param.secret ? "VARIABLE" : "VALUE"}`,
  );
  throw new KimitsuError(
    "config_invalid",
    `The params of server ${server.name} depend on a run (${reasons[0]}). Give them: ${names.join(" ")}`,
  );
}

/** For a profile, whose params come from variables alone: those that have no value. */
function explainUnset(project: Project, { step }: Usage, variables: Variables): string | null {
  const profile = step && profileOfWorkflow(step.workflow.name);
  const unset = (profile ? step.workflow.definition.env : []).filter(
    (entry) => findVariable(project, entry, variables) === null,
  );
  const names = unset.map(({ name }) => name).join(", ");
  return unset.length === 0 ? null : `variables of profile ${profile} without a value: ${names}`;
}

function listUsages(project: Project, server: ProjectServer): Usage[] {
  const uses = (agent: ProjectAgent) => agent.servers.filter((entry) => entry.server.name === server.name);
  const steps = Object.values(project.workflows).flatMap((workflow) =>
    workflow.steps.flatMap((step) =>
      step.agent
        ? uses(step.agent).map((entry): Usage => ({ agent: step.agent!, server: entry, step: { workflow, step } }))
        : [],
    ),
  );
  const agents = Object.values(project.agents).flatMap((agent) =>
    uses(agent).map((entry): Usage => ({ agent, server: entry, step: null })),
  );
  // A server that no agent uses yet has only its defaults and what is given.
  const nobody = {
    name: "",
    file: server.file,
    hash: "",
    definition: { servers: [] },
    servers: [],
    subagents: [],
  } as unknown as ProjectAgent;
  return [...steps, ...agents, { agent: nobody, server: { index: 0, name: server.name, server }, step: null }];
}

function resolveUsage(
  project: Project,
  { agent, server, step }: Usage,
  { given, variables }: { given: GivenParams[string]; variables: Variables },
) {
  const scope: TemplateScope = { env: step ? readEnv(project, step.workflow, variables) : {} };
  const { server: forServers = {}, ...forAgent } = ((
    step?.step.definition as { params?: Record<string, unknown> } | undefined
  )?.params ?? {}) as Record<string, unknown>;
  const ofStep = renderWhatCan(
    ((forServers as Record<string, unknown>)[server.name] ?? {}) as Record<string, unknown>,
    scope,
  );
  const ofCommand = Object.fromEntries(
    Object.entries(given).map(([name, from]) => [name, "value" in from ? from.value : SecretRef.env(from.variable)]),
  );
  const ofAgent = agent.definition.servers[server.index]?.params ?? {};
  // What the command line gives is not rendered from the agent's file, where it may depend on a run.
  const kept = Object.fromEntries(Object.entries(ofAgent).filter(([name]) => !Object.hasOwn(given, name)));
  const servers = agent.definition.servers.map((entry, index) =>
    index === server.index ? { ...entry, params: kept } : entry,
  );
  return resolveServer({
    project,
    agent: { ...agent, definition: { ...agent.definition, servers } },
    server,
    agentParams: renderWhatCan(forAgent, scope),
    // The layer of the step is the highest, so what was given wins.
    step: {
      workflow: step?.workflow ?? ({ file: agent.file } as ProjectWorkflow),
      step: step?.step ?? ({ index: 0 } as ProjectStep),
      serverParams: { [server.name]: { ...ofStep, ...ofCommand } },
    },
  });
}

/** The entries that do not depend on a run. */
function renderWhatCan(params: Record<string, unknown>, scope: TemplateScope): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      try {
        return [[name, renderTemplate(value, scope)]];
      } catch {
        return [];
      }
    }),
  );
}

function readEnv(project: Project, workflow: ProjectWorkflow, variables: Variables): Record<string, unknown> {
  return Object.fromEntries(
    (workflow.definition.env ?? []).flatMap((entry) => {
      const value = findVariable(project, entry, variables);
      return value === null ? [] : [[entry.name, entry.secret ? SecretRef.env(entry.name) : value]];
    }),
  );
}

function createResolver(project: Project, variables: Variables): SecretResolver {
  const declared = Object.values(project.workflows).flatMap((workflow) => workflow.definition.env ?? []);
  return ({ kind, name }) => {
    if (kind !== "env") return undefined;
    const entry = declared.find((each) => each.name === name && findVariable(project, each, variables) !== null);
    return entry ? (findVariable(project, entry, variables) ?? undefined) : variables[name];
  };
}

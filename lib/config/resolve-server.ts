/**
 * The params of a tool server as one agent step uses them, each with the place it came from. Lowest precedence first:
 * default in the server file, the agent's `servers[].params`, the workflow step's `params.server.<name>`.
 */
import { KimitsuError } from "@/lib/errors";
import type { Project, ProjectAgent, ProjectAgentServer, ProjectStep, ProjectWorkflow } from "./project";
import { isSecret, listSecrets, SecretRef } from "./secret-ref";
import type { SourceLocation } from "./source-location";
import { listReferences, renderTemplate, type TemplateScope } from "./template";

export interface ResolvedParam {
  /** A SecretRef when the server file marks the param as secret. */
  value: unknown;
  origin: "default" | "agent" | "workflow";
  source: SourceLocation;
  secret: boolean;
  /** True for the param that `auth.secret` names: it goes into the header and nowhere else. */
  headerOnly: boolean;
}

export interface ResolvedServer {
  name: string;
  params: Readonly<Record<string, ResolvedParam>>;
  /** The header with its whole value, scheme included. */
  auth: { header: string; value: SecretRef } | null;
  /** Environment of a stdio server. */
  env: Readonly<Record<string, string | SecretRef>>;
}

export interface ResolveServerInput {
  project: Pick<Project, "locate">;
  agent: ProjectAgent;
  server: ProjectAgentServer;
  /** The agent's params, rendered; secrets are references. */
  agentParams: Readonly<Record<string, unknown>>;
  /**
   * The step that runs the agent, with its rendered `params.server`; null for a sub-agent, which no step gives params
   * to.
   */
  step: { workflow: ProjectWorkflow; step: ProjectStep; serverParams: Readonly<Record<string, unknown>> } | null;
}

/** A step's `params`, rendered and split into those of the agent and those of its servers. Throws TemplateError. */
export function renderStepParams(params: Readonly<Record<string, unknown>>, scope: TemplateScope) {
  const { server = {}, ...agentParams } = renderTemplate(params, scope) as Record<string, unknown>;
  return { agentParams, serverParams: server as Record<string, unknown> };
}

/**
 * Throws `config_invalid`, with file and line, for a param that is unknown, has no value, or breaks the secret chain.
 */
export function resolveServer(input: ResolveServerInput): ResolvedServer {
  const { definition } = input.server.server;
  const layers = listLayers(input);
  for (const { values, locate } of layers) {
    for (const name of Object.keys(values)) {
      if (!Object.hasOwn(definition.params, name))
        refuse(`server ${definition.name} has no param "${name}"`, locate(name));
    }
  }
  const inHeader = headerParams(definition.auth?.secret);
  const params = Object.entries(definition.params).map(([name, declared]) => {
    const layer = layers.findLast(({ values }) => Object.hasOwn(values, name));
    if (!layer)
      return refuse(
        `param "${name}" of server ${definition.name} has no value; give it in the agent's servers[].params or in the step's params.server.${input.server.name}`,
        agentPlace(input, []),
      );
    const source = layer.locate(name);
    const value = guardSecret(
      layer.values[name],
      declared.secret,
      `param "${name}" of server ${definition.name}`,
      source,
    );
    return [
      name,
      { value, origin: layer.origin, source, secret: declared.secret, headerOnly: inHeader.has(name) },
    ] as const;
  });
  const resolved = Object.fromEntries(params);
  const values = Object.fromEntries(params.map(([name, param]) => [name, param.value]));
  return {
    name: input.server.name,
    params: resolved,
    auth: resolveAuth(definition.auth, values),
    env: resolveEnv(definition.env ?? {}, values),
  };
}

interface Layer {
  origin: ResolvedParam["origin"];
  values: Readonly<Record<string, unknown>>;
  locate: (param: string) => SourceLocation;
}

function listLayers(input: ResolveServerInput): Layer[] {
  const { project, agent, server, agentParams, step } = input;
  const { file, base, definition } = server.server;
  const defaults = Object.entries(definition.params).filter(([, param]) => param.default !== undefined);
  const templates = agent.definition.servers[server.index]?.params ?? {};
  const byStep = step?.serverParams[server.name];
  return [
    {
      origin: "default",
      values: Object.fromEntries(defaults.map(([name, param]) => [name, param.default])),
      locate: (name) => project.locate(file, [...base, "params", name]),
    },
    {
      origin: "agent",
      values: renderTemplate(templates, { params: agentParams }) as Record<string, unknown>,
      locate: (name) => agentPlace(input, ["params", name]),
    },
    {
      origin: "workflow",
      values: isRecord(byStep) ? byStep : {},
      locate: (name) =>
        step
          ? project.locate(step.workflow.file, ["pipeline", step.step.index, "params", "server", server.name, name])
          : agentPlace(input, []),
    },
  ];
}

function agentPlace({ project, agent, server }: ResolveServerInput, path: (string | number)[]): SourceLocation {
  return project.locate(agent.file, ["servers", server.index, ...path]);
}

/** A secret never gets into a param that is printed; what is given to a secret param is never printed again. */
function guardSecret(value: unknown, isDeclared: boolean, what: string, source: SourceLocation): unknown {
  if (!isDeclared) {
    if (listSecrets(value).length > 0) refuse(`${what} is not marked secret and is given a secret`, source);
    return value;
  }
  if (isSecret(value)) return value;
  return SecretRef.literal(typeof value === "string" ? value : JSON.stringify(value));
}

function headerParams(secret: string | undefined): Set<string> {
  if (secret === undefined || isLiteral(secret)) return new Set();
  return new Set(listReferences(secret, ["params"]).flatMap((reference) => reference.path.slice(0, 1)));
}

function resolveAuth(
  auth: { header: string; scheme: "bearer" | "raw"; secret: string } | undefined,
  params: Record<string, unknown>,
) {
  if (!auth) return null;
  const rendered = isLiteral(auth.secret) ? auth.secret.slice(1, -1) : renderTemplate(auth.secret, { params });
  const secret = isSecret(rendered) ? rendered : SecretRef.literal(String(rendered));
  return { header: auth.header, value: auth.scheme === "bearer" ? SecretRef.join(["Bearer ", secret]) : secret };
}

function resolveEnv(
  env: Readonly<Record<string, string>>,
  params: Record<string, unknown>,
): Record<string, string | SecretRef> {
  const rendered = renderTemplate(env, { params }) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(rendered).map(([name, value]) => [
      name,
      isSecret(value) || typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function isLiteral(secret: string): boolean {
  return /^`[^`]*`$/.test(secret);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !isSecret(value);
}

function refuse(message: string, { file, line, column }: SourceLocation): never {
  throw new KimitsuError("config_invalid", `${file === "" ? "" : `${file}:${line}:${column} `}${message}`);
}

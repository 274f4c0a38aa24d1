/** Puts the checked files together into one frozen project. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Draft, Loaded, LoadedServer } from "./draft";
import type { Gateway } from "./gateway-schema";
import type { Links } from "./links";
import { listDependencies, sortByDependencies } from "./pipeline-order";
import {
  deepFreeze,
  type Project,
  type ProjectAgent,
  type ProjectServer,
  type ProjectStep,
  type ProjectWorkflow,
} from "./project";
import { stepKind } from "./step-schema";
import type { YamlSource } from "./yaml-source";

export function hashContent(value: unknown): string {
  return `sha256:${createHash("sha256")
    .update(canonicalize(value) ?? "")
    .digest("hex")}`;
}

interface Build {
  root: string;
  draft: Draft;
  links: Links;
  fileHashes: Readonly<Record<string, string>>;
  texts: Readonly<Record<string, string>>;
  sources: ReadonlyMap<string, YamlSource>;
}

/** Must only be called for a draft without errors. */
export function buildProject({ root, draft, links, fileHashes, texts, sources }: Build): Project {
  const servers = new Map(draft.servers.map((server) => [server, toServer(server)]));
  const agents = buildAgents(draft, links, servers, fileHashes);
  const workflows = buildWorkflows(draft, links, agents, fileHashes);
  return deepFreeze<Project>({
    root,
    // All environments are among the files; which of them was chosen is not. No file has a name without a dot.
    hash: hashContent(
      draft.environment ? { ...fileHashes, environment: draft.environment.definition.name } : fileHashes,
    ),
    fileHashes,
    texts,
    gateway: draft.gateway && applyEnvironment(draft.gateway.definition, draft),
    policy: draft.policy?.definition ?? null,
    environment: draft.environment?.definition ?? null,
    servers: byName([...servers.values()]),
    agents: byName([...agents.values()]),
    workflows: byName([...workflows.values()]),
    profiles: byName(
      draft.profiles.map(({ file, definition }) => ({
        name: definition.name,
        file,
        definition,
        agent: required(agents.get(file), file),
        workflow: required(workflows.get(file), file),
      })),
    ),
    locate: (file, path) => ({ file, ...(sources.get(file)?.locate(path) ?? { line: 1, column: 1 }) }),
  });
}

/** No prototype: a name from a request such as "constructor" must not find anything. */
function byName<T extends { name: string }>(entries: readonly T[]): Record<string, T> {
  return Object.assign(
    Object.create(null) as Record<string, T>,
    Object.fromEntries(entries.map((entry) => [entry.name, entry])),
  );
}

function toServer({ definition, origin, file, base }: LoadedServer): ProjectServer {
  return { name: definition.name, origin, file, base, definition };
}

function applyEnvironment(gateway: Gateway, draft: Draft): Gateway {
  const overrides = draft.environment?.definition.providers ?? [];
  return {
    ...gateway,
    providers: gateway.providers.map(
      (provider) => overrides.find((candidate) => candidate.name === provider.name) ?? provider,
    ),
  };
}

function buildAgents(
  draft: Draft,
  links: Links,
  servers: ReadonlyMap<LoadedServer, ProjectServer>,
  hashes: Build["fileHashes"],
): Map<string, ProjectAgent> {
  type Mutable = Omit<ProjectAgent, "subagents"> & { subagents: ProjectAgent["subagents"] };
  const agents = new Map<string, Mutable>();
  for (const { file, definition } of draft.agents) {
    const linked = (links.servers.get(file) ?? []).map(({ index, name, server }) => ({
      index,
      name,
      server: required(servers.get(server), server.file),
    }));
    agents.set(file, {
      name: definition.name,
      file,
      hash: hashes[file] ?? "",
      definition,
      servers: linked,
      subagents: [],
    });
  }
  for (const [file, agent] of agents) {
    agent.subagents = (links.subagents.get(file) ?? []).map((link) => ({
      ...link,
      agent: required(agents.get(link.agent.file), link.agent.file),
    }));
  }
  return agents;
}

function buildWorkflows(
  draft: Draft,
  links: Links,
  agents: ReadonlyMap<string, ProjectAgent>,
  hashes: Build["fileHashes"],
): Map<string, ProjectWorkflow> {
  type Mutable = Omit<ProjectWorkflow, "steps"> & { steps: ProjectStep[] };
  const workflows = new Map<string, Mutable>();
  for (const { file, definition } of draft.workflows) {
    const order = sortByDependencies(listDependencies(definition.pipeline));
    workflows.set(file, { name: definition.name, file, hash: hashes[file] ?? "", definition, steps: [], order });
  }
  for (const loaded of draft.workflows)
    required(workflows.get(loaded.file), loaded.file).steps = buildSteps(loaded, links, agents, workflows);
  return workflows;
}

function buildSteps(
  { file, definition }: Loaded<ProjectWorkflow["definition"]>,
  links: Links,
  agents: ReadonlyMap<string, ProjectAgent>,
  workflows: ReadonlyMap<string, ProjectWorkflow>,
): ProjectStep[] {
  const dependencies = listDependencies(definition.pipeline);
  return definition.pipeline.map((step, index) => {
    const target = links.steps.get(file)?.[index] ?? null;
    return {
      id: step.id,
      kind: stepKind(step),
      index,
      definition: step,
      dependsOn: dependencies.get(step.id) ?? [],
      agent: target?.kind === "agent" ? required(agents.get(target.agent.file), target.agent.file) : null,
      workflow:
        target?.kind === "workflow" ? required(workflows.get(target.workflow.file), target.workflow.file) : null,
    };
  });
}

function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`unreachable: ${what} was checked and is missing`);
  return value;
}

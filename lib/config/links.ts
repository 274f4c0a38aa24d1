/**
 * Resolves every name and path from one file to another, once, for all checks. What cannot be resolved is reported
 * here.
 */
import type { Agent } from "./agent-schema";
import { BUILTIN_PREFIX, BUILTIN_SERVERS } from "./builtin-servers";
import { isUnknown, report, resolveFile, type Draft, type Loaded, type LoadedServer } from "./draft";
import { suggest, type ValuePath } from "./problem";
import { isClientWorkflow } from "./profile-parts";
import type { Workflow } from "./workflow-schema";

export interface ServerLink {
  /** Position in the agent's `servers`. */
  index: number;
  /** The name under which the agent, the model and the workflow's `params.server` use for it. */
  name: string;
  server: LoadedServer;
}

export interface SubagentLink {
  at: ValuePath;
  agent: Loaded<Agent>;
  params: Readonly<Record<string, unknown>>;
  tools: readonly string[] | null;
}

export type StepTarget = { kind: "agent"; agent: Loaded<Agent> } | { kind: "workflow"; workflow: Loaded<Workflow> };

export interface Links {
  /** By agent file. A server that cannot be found is left out. */
  servers: ReadonlyMap<string, readonly ServerLink[]>;
  subagents: ReadonlyMap<string, readonly SubagentLink[]>;
  /** By workflow file and position in the pipeline; null for other steps and for what cannot be found. */
  steps: ReadonlyMap<string, readonly (StepTarget | null)[]>;
}

/** What other files can name: not what a profile stands for, which has no model and is for clients alone. */
interface Named {
  agents: readonly Loaded<Agent>[];
  workflows: readonly Loaded<Workflow>[];
}

export function followLinks(draft: Draft): Links {
  const named: Named = {
    agents: draft.agents.filter(({ definition }) => !isClientWorkflow(definition.name)),
    workflows: draft.workflows.filter(({ definition }) => !isClientWorkflow(definition.name)),
  };
  const clients = new Map(draft.profiles.map(({ file }) => [file, followProfile(draft, file)]));
  return {
    servers: new Map(draft.agents.map((agent) => [agent.file, followServers(draft, agent)])),
    subagents: new Map(draft.agents.map((agent) => [agent.file, followSubagents(draft, agent, named)])),
    steps: new Map([
      ...named.workflows.map((each) => [each.file, followSteps(draft, each, named)] as const),
      ...clients,
    ]),
  };
}

/** Its one step is itself. */
function followProfile(draft: Draft, file: string): StepTarget[] {
  const agent = draft.agents.find((candidate) => candidate.file === file);
  if (agent === undefined) throw new Error(`unreachable: the profile ${file} stands for no agent`);
  return [{ kind: "agent", agent }];
}

function followServers(draft: Draft, agent: Loaded<Agent>): ServerLink[] {
  const links: ServerLink[] = [];
  for (const [index, entry] of agent.definition.servers.entries()) {
    const at = ["servers", index];
    if (isUnknown(draft, agent.file, ...at, "path")) continue;
    if (entry.path !== undefined) {
      const local = draft.servers.filter((server) => server.origin === "local");
      const server = resolveFile(draft, agent.source, [...at, "path"], entry.path, "server", local);
      if (server !== null && isKnown(draft, agent, index, server))
        links.push({ index, name: entry.name ?? server.definition.name, server });
    } else if (entry.name === undefined) {
      report(draft, agent.source, at, "the entry names no server", {
        hint: "give `name` (an entry of servers.yaml or a built-in) or `path` (a file in servers/)",
      });
    } else {
      const server = findByName(draft, agent, [...at, "name"], entry.name);
      if (server !== null && isKnown(draft, agent, index, server)) links.push({ index, name: entry.name, server });
    }
  }
  return links;
}

/** A link with a broken end says nothing about params and toolsets. */
function isKnown(draft: Draft, agent: Loaded<Agent>, index: number, { file, base }: LoadedServer): boolean {
  const ofAgent = ["name", "path", "params"].some((field) => isUnknown(draft, agent.file, "servers", index, field));
  return !ofAgent && !["name", "params", "auth", "toolset"].some((field) => isUnknown(draft, file, ...base, field));
}

function findByName(draft: Draft, agent: Loaded<Agent>, at: ValuePath, name: string): LoadedServer | null {
  const shared = draft.servers.filter((server) => server.origin !== "local");
  const found = shared.find((server) => server.definition.name === name);
  if (found !== undefined) return found;
  const local = draft.servers.find((server) => server.origin === "local" && server.definition.name === name);
  if (local !== undefined) {
    report(
      draft,
      agent.source,
      at,
      `server ${JSON.stringify(name)} has a file of its own, so it is referred to by path`,
      { hint: `add \`path: ${local.file}\`` },
    );
  } else if (name.startsWith(BUILTIN_PREFIX)) {
    report(draft, agent.source, at, `there is no built-in server ${JSON.stringify(name)}`, {
      hint: suggest(name, [...BUILTIN_SERVERS.keys()], "built-in servers"),
    });
  } else if (!draft.broken.has("servers.yaml") && !isUnknown(draft, "servers.yaml", "servers", "*", "name")) {
    const names = shared.map((server) => server.definition.name);
    report(draft, agent.source, at, `no server ${JSON.stringify(name)} in servers.yaml`, {
      hint: suggest(name, names, "servers known by name") ?? "define it in servers.yaml, or give the path of its file",
    });
  }
  return null;
}

function followSubagents(draft: Draft, agent: Loaded<Agent>, { agents }: Named): SubagentLink[] {
  const { subagents, sub_agents: older } = agent.definition;
  if (subagents !== undefined && older !== undefined) {
    report(draft, agent.source, ["sub_agents"], "`subagents` and `sub_agents` are the same field", {
      hint: "keep `subagents`",
      part: "key",
    });
  }
  const field = subagents === undefined ? "sub_agents" : "subagents";
  return (subagents ?? older ?? []).flatMap((entry, index) => {
    const isText = typeof entry === "string";
    const at = isText ? [field, index] : [field, index, "path"];
    const found = resolveFile(draft, agent.source, at, isText ? entry : entry.path, "agent", agents);
    if (found === null) return [];
    return [
      {
        at: [field, index],
        agent: found,
        params: isText ? {} : entry.params,
        tools: isText ? null : (entry.tools ?? null),
      },
    ];
  });
}

function followSteps(draft: Draft, workflow: Loaded<Workflow>, { agents, workflows }: Named): (StepTarget | null)[] {
  return workflow.definition.pipeline.map((step, index) => {
    if ("agent" in step) {
      const agent = resolveFile(draft, workflow.source, ["pipeline", index, "agent"], step.agent, "agent", agents);
      return agent && { kind: "agent", agent };
    }
    if ("workflow" in step) {
      const found = resolveFile(
        draft,
        workflow.source,
        ["pipeline", index, "workflow"],
        step.workflow,
        "workflow",
        workflows,
      );
      return found && { kind: "workflow", workflow: found };
    }
    return null;
  });
}

/**
 * The tools that one agent step can see: each server's list, judged by grant and pin, under the names that the model
 * uses.
 */
import { resolveServer } from "@/lib/config/resolve-server";
import type { ProjectAgent, ProjectAgentServer, ProjectStep, ProjectWorkflow } from "@/lib/config/project";
import { isGranted } from "@/lib/policy/intersect-scopes";
import type { AgentScope, PinState } from "@/lib/policy/policy-input";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { judgePin, type PinBook } from "@/lib/tools/rules/tool-pin";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { matchRunSecrets } from "@/lib/projects/known-secrets";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import { noteServerState } from "@/lib/tools/transitions/note-server-state";
import { rememberTools } from "@/lib/tools/transitions/remember-tools";
import type { ToolList } from "@/lib/tools/list-tools";
import type { ToolServer } from "@/lib/tools/tool-server";

/** An agent at work: in a step, in an item of its fan-out, or as another agent's sub-agent. */
export interface AgentAtWork {
  agent: ProjectAgent;
  params: Readonly<Record<string, unknown>>;
  /** Outermost first; all must grant. */
  scopes: readonly AgentScope[];
  /** The workflow step that runs it; null for a sub-agent. */
  step: { workflow: ProjectWorkflow; step: ProjectStep; serverParams: Readonly<Record<string, unknown>> } | null;
}

/** The part of it that determines how a server is called. */
export type ServerUser = Pick<AgentAtWork, "agent" | "params" | "step">;

export interface KnownServer {
  entry: ProjectAgentServer;
  tools: ToolServer;
  reachable: boolean;
  definitions: ReadonlyMap<string, ToolDefinition>;
  pins: (definition: ToolDefinition) => PinState;
}

export interface AgentTools {
  servers: ReadonlyMap<string, KnownServer>;
  hasLock: boolean;
  /** What may be offered, before toolsets narrow it. */
  granted: readonly { server: KnownServer; definition: ToolDefinition }[];
}

/** An agent at work, with its tools as they were listed for this turn or call. */
export interface AgentWithTools {
  work: AgentAtWork;
  tools: AgentTools;
}

/** Throws `tool_failed` when a required server cannot be reached. */
export async function listAgentTools(context: RunContext, work: AgentAtWork): Promise<AgentTools> {
  const lock = context.deps.projects.lock();
  const known = await Promise.all(work.agent.servers.map((entry) => readServer(context, work, { entry, lock })));
  const granted = known.flatMap((server) =>
    [...server.definitions.values()]
      .filter((definition) =>
        isGranted(work.scopes, {
          server: server.entry.name,
          definition: server.entry.server.name,
          tool: definition.name,
        }),
      )
      .map((definition) => ({ server, definition })),
  );
  return { servers: new Map(known.map((server) => [server.entry.name, server])), hasLock: lock !== null, granted };
}

async function readServer(
  context: RunContext,
  work: AgentAtWork,
  { entry, lock }: { entry: ProjectAgentServer; lock: Readonly<Record<string, PinBook>> | null },
): Promise<KnownServer> {
  const tools = toToolServer(context, work, entry);
  const list = await reachServer(context, { agent: work.agent, entry, tools });
  if (!list) return { entry, tools, reachable: false, definitions: new Map(), pins: () => "new" };
  const { name } = entry.server;
  const remembered = await rememberTools(
    context.deps.db,
    { server: name, hash: list.hash, tools: list.tools, hasLock: lock !== null },
    context.deps.now(),
  );
  const book = lock === null ? null : (lock[name] ?? {});
  return {
    entry,
    tools,
    reachable: true,
    definitions: new Map(list.tools.map((tool) => [tool.name, tool])),
    pins: (definition) => judgePin(definition, book, remembered),
  };
}

/** Throws `config_invalid` or TemplateError when something that the server needs is missing. */
export function toToolServer(
  context: RunContext,
  { agent, params, step }: ServerUser,
  entry: ProjectAgentServer,
): ToolServer {
  const resolved = resolveServer({ project: context.loaded.project, agent, server: entry, agentParams: params, step });
  return {
    definition: entry.server.definition,
    resolved,
    secrets: context.secrets,
    others: () => matchRunSecrets(context),
  };
}

/**
 * Null for an unreachable server that is not required: the run continues without it, and its trail says so. Throws
 * `tool_failed` for a required one.
 */
export async function reachServer(
  { deps, memory, writes, signal }: RunContext,
  { agent, entry, tools }: { agent: ProjectAgent; entry: ProjectAgentServer; tools: ToolServer },
): Promise<ToolList | null> {
  const { name, definition } = entry.server;
  try {
    const list = await deps.pool.listTools(tools, { signal });
    await noteServerState(deps.db, { name, error: null, listHash: list.hash }, deps.now());
    return list;
  } catch (error) {
    if (!(error instanceof KimitsuError) || signal.aborted) throw error;
    const { message } = error;
    await noteServerState(deps.db, { name, error: message, listHash: null }, deps.now());
    if (definition.required)
      throw new KimitsuError("tool_failed", `${message} Agent ${agent.name} cannot work without it.`, { cause: error });
    log.warn(
      { run: memory.run.id, server: name, err: error },
      "a tool server that is not required cannot be reached; the run continues without it",
    );
    if (memory.run.unreachable.includes(name)) return null;
    await writes.later({ kind: "server_missed", at: deps.now().toISOString(), server: name, message });
    return null;
  }
}

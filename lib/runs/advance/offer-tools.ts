/**
 * What a model is offered on one turn: the granted tools of the loaded toolsets, `load_toolset`, and the agent's
 * sub-agents.
 */
import { modelFacingName } from "@/lib/config/builtin-servers";
import type { ProjectSubagent } from "@/lib/config/project";
import type { SourceLocation } from "@/lib/config/source-location";
import { assessDanger } from "@/lib/policy/danger";
import { factsOf } from "@/lib/policy/judge-by-project";
import { AGENTS_SERVER } from "@/lib/runs/rules/call-state";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { mapText, nameHidden } from "@/lib/text/tool-text";
import type { AgentTools, AgentWithTools } from "@/lib/runs/advance/agent-tools";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { RunMemory } from "@/lib/runs/advance/run-memory";
import type { JsonObject, ModelTool } from "@/lib/models/model";
import type { NewCall } from "@/lib/runs/changes/turn-recorded";
import { createToolNames, type ToolAddress, type ToolNames } from "@/lib/tools/tool-names";
import {
  applyLoadToolset,
  describeLoadToolset,
  describeUnloaded,
  initialToolsets,
  LOAD_TOOLSET,
  loadRecorded,
  type OfferedTool,
  selectTools,
} from "@/lib/tools/toolsets";

/** Names a server of our own to which no MCP call is made. */
const TOOLSETS_SERVER = "kimitsu/toolsets";
const AGENT_PREFIX = "agent__";

export interface CallTarget {
  server: string;
  tool: string;
  /** Answered immediately, without a server and without approval. */
  virtual?: boolean;
  /** `on_reject: skip` took it away for the rest of the step. */
  withdrawn?: boolean;
  subagent?: ProjectSubagent;
  /** Set for a tool of a toolset that was not loaded when the turn began: the answer in place of a call. */
  unloaded?: { reason: string; source: SourceLocation };
}

export interface OfferedTools {
  tools: ModelTool[];
  /**
   * Null for a name that no server has; a tool that is not offered is still found, and is judged or refused with the
   * reason.
   */
  find(name: string): CallTarget | null;
  /** What a sub-agent's caller may give it. */
  schemaOf(subagent: ProjectSubagent): Readonly<Record<string, unknown>>;
  answer(
    target: CallTarget,
    args: Record<string, unknown>,
  ): Pick<NewCall, "status" | "danger" | "trace" | "error"> & { rule: null; result: unknown };
}

export interface OfferState {
  /** Tools that `on_reject: skip` took away, as `server.tool`. */
  withdrawn?: string[];
}

export function offerTools(
  { memory, loaded: { project } }: RunContext,
  { work, tools }: AgentWithTools,
  { stepId, state }: { stepId: string; state: OfferState },
): OfferedTools {
  let loaded = loadRecorded(initialToolsets(work.agent.definition.toolsets ?? []), listLoadCalls(memory, stepId));
  const withdrawn = new Set(state.withdrawn ?? []);
  const offered: OfferedTool[] = tools.granted
    .filter(({ server, definition }) => !withdrawn.has(`${server.entry.name}.${definition.name}`))
    .map(({ server, definition }) => ({
      server: server.entry.name,
      toolset: server.entry.server.definition.toolset ?? null,
      definition,
      readOnly: assessDanger(definition.annotations, factsOf(server.entry.server, definition.name)).readOnly,
    }));
  const names = createToolNames(offered.map(({ server, definition }) => ({ server, tool: definition.name })));
  const selected = selectTools(offered, loaded);
  const unoffered = findUnoffered(tools);
  const virtual = describeLoadToolset(offered, loaded);
  const subagents = new Map(work.agent.subagents.map((subagent) => [AGENT_PREFIX + subagent.agent.name, subagent]));
  return {
    tools: [
      ...selected.map(({ server, definition }) =>
        toModelTool(names.toModel({ server, tool: definition.name }), ...describeFor(definition)),
      ),
      ...(virtual ? [toModelTool(virtual.name, virtual.description ?? "", virtual.inputSchema)] : []),
      ...[...subagents].map(([name, subagent]) =>
        toModelTool(
          name,
          subagent.agent.definition.description ?? `Agent ${subagent.agent.name}`,
          subagentSchema(subagent),
        ),
      ),
    ],
    find: (name) => {
      if (name === LOAD_TOOLSET && virtual) return { server: TOOLSETS_SERVER, tool: LOAD_TOOLSET, virtual: true };
      const subagent = subagents.get(name);
      if (subagent) return { server: AGENTS_SERVER, tool: subagent.agent.name, subagent };
      const address = names.fromModel(name) ?? unoffered(name);
      const tool =
        address &&
        offered.find(({ server, definition }) => server === address.server && definition.name === address.tool);
      if (!tool || selected.includes(tool))
        return address && { ...address, withdrawn: withdrawn.has(`${address.server}.${address.tool}`) };
      const { file, base } = tools.servers.get(tool.server)!.entry.server;
      return {
        ...address!,
        unloaded: { reason: describeUnloaded(tool), source: project.locate(file, [...base, "toolset"]) },
      };
    },
    schemaOf: subagentSchema,
    answer: (_target, args) => {
      const answer = applyLoadToolset(offered, loaded, args);
      loaded = answer.loaded;
      const result = {
        success: !answer.is_error,
        output: answer.output,
        content: [],
        structured_content: null,
        is_error: answer.is_error,
        error: answer.is_error ? answer.output : null,
      };
      const error = answer.is_error ? { code: "invalid_arguments", message: answer.output } : null;
      return { status: answer.is_error ? "failed" : "succeeded", danger: "safe", trace: [], error, rule: null, result };
    },
  };
}

/** The arguments of the step's successful calls of `load_toolset`: every process derives the same toolsets. */
function listLoadCalls(memory: RunMemory, stepId: string): unknown[] {
  return memory.turnsOf(stepId).flatMap((turn) =>
    memory
      .callsOfTurn(turn.id)
      .filter((call) => call.server === TOOLSETS_SERVER && call.status === "succeeded")
      .map((call) => JSON.parse(call.argumentsCanonical) as unknown),
  );
}

/** For all servers of the agent, including those whose list is not known: then the name alone identifies the tool. */
function findUnoffered({ servers }: AgentTools): (name: string) => ToolAddress | null {
  let names: ToolNames | undefined;
  return (name) => {
    names ??= createToolNames(
      [...servers].flatMap(([server, { definitions }]) => [...definitions.keys()].map((tool) => ({ server, tool }))),
    );
    const known = names.fromModel(name);
    if (known) return known;
    const server = [...servers.keys()].find((candidate) => name.startsWith(`mcp__${modelFacingName(candidate)}__`));
    return server === undefined ? null : { server, tool: name.slice(`mcp__${modelFacingName(server)}__`.length) };
  };
}

/** Definitions live as long as a server's list, and are sent on every turn. */
const descriptions = new WeakMap<ToolDefinition, [description: string, inputSchema: ToolDefinition["inputSchema"]]>();

/** Untrusted text, without anything that a person who reads the definition would not see. */
function describeFor(definition: ToolDefinition): [description: string, inputSchema: ToolDefinition["inputSchema"]] {
  const { description, title, name, inputSchema } = definition;
  const before = descriptions.get(definition);
  if (before) return before;
  const described: [string, ToolDefinition["inputSchema"]] = [
    nameHidden(description ?? title ?? name),
    mapText(inputSchema, nameHidden) as ToolDefinition["inputSchema"],
  ];
  descriptions.set(definition, described);
  return described;
}

function toModelTool(name: string, description: string, inputSchema: Readonly<Record<string, unknown>>): ModelTool {
  return { name, description, inputSchema: inputSchema as JsonObject };
}

/** The params that the parent has not fixed; a model never gives secrets. */
function subagentSchema({ agent, params }: ProjectSubagent): Record<string, unknown> {
  const schema = (agent.definition.params?.schema ?? { type: "object", properties: {} }) as {
    properties?: Record<string, { secret?: boolean }>;
    required?: string[];
  };
  const open = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) => !Object.hasOwn(params, name) && property.secret !== true,
  );
  const names = new Set(open.map(([name]) => name));
  return {
    type: "object",
    properties: Object.fromEntries(open),
    required: (schema.required ?? []).filter((name) => names.has(name)),
    additionalProperties: false,
  };
}

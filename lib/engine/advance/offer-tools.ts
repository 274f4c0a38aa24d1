/** What a model is offered on one turn: the granted tools of the loaded toolsets, `load_toolset`, and the agent's sub-agents. */
import type { ProjectSubagent } from "@/lib/config/project";
import { assessDanger } from "@/lib/domain/danger";
import { AGENTS_SERVER } from "@/lib/domain/call-state";
import type { ToolDefinition } from "@/lib/domain/tool-fingerprint";
import { mapText, nameHidden } from "@/lib/domain/tool-text";
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import type { JsonObject, ModelTool } from "@/lib/models/model";
import type { NewCall } from "@/lib/store/transitions/record-turn";
import { createToolNames } from "@/lib/tools/tool-names";
import { applyLoadToolset, describeLoadToolset, initialToolsets, LOAD_TOOLSET, type LoadedToolsets, type OfferedTool, selectTools } from "@/lib/tools/toolsets";

/** Stands for a server of our own that no MCP call is made to. */
const TOOLSETS_SERVER = "kimitsu/toolsets";
const AGENT_PREFIX = "agent__";

export interface CallTarget {
  server: string;
  tool: string;
  /** Answered here and now, without a server and without anyone's leave. */
  virtual?: boolean;
  subagent?: ProjectSubagent;
}

export interface OfferedTools {
  tools: ModelTool[];
  /** Null for a name that nothing has; a tool that is granted but not offered is found all the same, and judged. */
  find(name: string): CallTarget | null;
  /** What a sub-agent's caller may give it. */
  schemaOf(subagent: ProjectSubagent): Readonly<Record<string, unknown>>;
  answer(target: CallTarget, args: Record<string, unknown>): Pick<NewCall, "status" | "danger" | "trace" | "error"> & { rule: null; result: unknown };
  /** What is loaded after the answers given so far. */
  loaded(): LoadedToolsets;
}

export interface OfferState {
  toolsets?: LoadedToolsets;
  /** Tools that `on_reject: skip` took away, as `server.tool`. */
  withdrawn?: string[];
}

export function offerTools(work: AgentAtWork, tools: AgentTools, state: OfferState): OfferedTools {
  let loaded = state.toolsets ?? initialToolsets(work.agent.definition.toolsets ?? []);
  const withdrawn = new Set(state.withdrawn ?? []);
  const offered: OfferedTool[] = tools.granted
    .filter(({ server, definition }) => !withdrawn.has(`${server.entry.name}.${definition.name}`))
    .map(({ server, definition }) => ({
      server: server.entry.name,
      toolset: server.entry.server.definition.toolset ?? null,
      definition,
      readOnly: assessDanger(definition.annotations, server.entry.server.definition.tools?.[definition.name] ?? {}).readOnly,
    }));
  const names = createToolNames(offered.map(({ server, definition }) => ({ server, tool: definition.name })));
  const virtual = describeLoadToolset(offered, loaded);
  const subagents = new Map(work.agent.subagents.map((subagent) => [AGENT_PREFIX + subagent.agent.name, subagent]));
  return {
    tools: [
      ...selectTools(offered, loaded).map(({ server, definition }) => toModelTool(names.toModel({ server, tool: definition.name }), ...tellOf(definition))),
      ...(virtual ? [toModelTool(virtual.name, virtual.description ?? "", virtual.inputSchema)] : []),
      ...[...subagents].map(([name, subagent]) => toModelTool(name, subagent.agent.definition.description ?? `Agent ${subagent.agent.name}`, subagentSchema(subagent))),
    ],
    find: (name) => {
      if (name === LOAD_TOOLSET && virtual) return { server: TOOLSETS_SERVER, tool: LOAD_TOOLSET, virtual: true };
      const subagent = subagents.get(name);
      if (subagent) return { server: AGENTS_SERVER, tool: subagent.agent.name, subagent };
      return names.fromModel(name);
    },
    schemaOf: subagentSchema,
    answer: (_target, args) => {
      const answer = applyLoadToolset(offered, loaded, args);
      loaded = answer.loaded;
      const result = { success: !answer.is_error, output: answer.output, content: [], structured_content: null, is_error: answer.is_error, error: answer.is_error ? answer.output : null };
      const error = answer.is_error ? { code: "invalid_arguments", message: answer.output } : null;
      return { status: answer.is_error ? "failed" : "succeeded", danger: "safe", trace: [], error, rule: null, result };
    },
    loaded: () => loaded,
  };
}

/** Definitions are kept as long as a server's list is, and told on every turn. */
const told = new WeakMap<ToolDefinition, [description: string, inputSchema: ToolDefinition["inputSchema"]]>();

/** A stranger's words, with nothing in them that a person who reads the definition would not see. */
function tellOf(definition: ToolDefinition): [description: string, inputSchema: ToolDefinition["inputSchema"]] {
  const { description, title, name, inputSchema } = definition;
  const before = told.get(definition);
  if (before) return before;
  const telling: [string, ToolDefinition["inputSchema"]] = [nameHidden(description ?? title ?? name), mapText(inputSchema, nameHidden) as ToolDefinition["inputSchema"]];
  told.set(definition, telling);
  return telling;
}

function toModelTool(name: string, description: string, inputSchema: Readonly<Record<string, unknown>>): ModelTool {
  return { name, description, inputSchema: inputSchema as JsonObject };
}

/** The params that the parent has not fixed; secrets are never a model's to give. */
function subagentSchema({ agent, params }: ProjectSubagent): Record<string, unknown> {
  const schema = (agent.definition.params?.schema ?? { type: "object", properties: {} }) as { properties?: Record<string, { secret?: boolean }>; required?: string[] };
  const open = Object.entries(schema.properties ?? {}).filter(([name, property]) => !Object.hasOwn(params, name) && property.secret !== true);
  const names = new Set(open.map(([name]) => name));
  return { type: "object", properties: Object.fromEntries(open), required: (schema.required ?? []).filter((name) => names.has(name)), additionalProperties: false };
}

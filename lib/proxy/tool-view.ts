/** The tools that one session sees, and what a name that it calls stands for. */
import type { McpClient } from "@/lib/proxy/mcp-client";
import { type ExportedTool, type ListedTool, listExportedTools } from "@/lib/proxy/list-exported-tools";
import { createMetaView } from "@/lib/proxy/meta-view";
import { OWN_LISTED, toTextAnswer as toAnswer } from "@/lib/proxy/own-tools";
import type { Answer } from "@/lib/proxy/rules/answers";
import {
  applyLoadToolset,
  describeLoadToolset,
  describeUnloaded,
  initialToolsets,
  type LoadedToolsets,
  LOAD_TOOLSET,
  selectTools,
} from "@/lib/tools/toolsets";

export interface FoundTool {
  tool: ExportedTool;
  arguments: Record<string, unknown>;
}

export interface ToolView {
  list(): Promise<{ listed: ListedTool; mayAsk: boolean }[]>;
  /** The tool to call and with what, or the answer to a call that reaches none. */
  find(name: string, args: Record<string, unknown>): Promise<FoundTool | { answer: Answer }>;
  /** For the headers of a request: null for a name that is no tool of a server. */
  peek(name: string): Promise<ExportedTool | null>;
}

/** What a session has loaded beside what its profile opens. Null: the profile names no toolsets, so that all are open. */
export interface ToolsetState {
  loaded: LoadedToolsets | null;
  onChange(): void;
}

export const initialState = ({ profile }: Pick<McpClient, "profile">): LoadedToolsets | null =>
  profile.definition.toolsets ? initialToolsets(profile.definition.toolsets) : null;

export function createToolView(client: McpClient, state: ToolsetState): ToolView {
  return client.profile.definition.mode === "meta" ? createMetaView(client) : createWholeView(client, state);
}

function createWholeView({ deps, profile }: McpClient, state: ToolsetState): ToolView {
  const all = () => listExportedTools(deps, profile);
  const select = (tools: readonly ExportedTool[]) =>
    state.loaded === null ? [...tools] : selectTools(tools, state.loaded);
  const loader = (tools: readonly ExportedTool[]) =>
    state.loaded === null ? null : describeLoadToolset(tools, state.loaded);
  return {
    async list() {
      const tools = await all();
      const virtual = loader(tools);
      return [
        ...select(tools),
        ...[...OWN_LISTED, ...(virtual ? [virtual as ListedTool] : [])].map((listed) => ({ listed, mayAsk: false })),
      ];
    },
    async peek(name) {
      return (await all()).find((tool) => tool.name === name) ?? null;
    },
    async find(name, args) {
      const tools = await all();
      if (name === LOAD_TOOLSET && state.loaded !== null) {
        const answer = applyLoadToolset(tools, state.loaded, args);
        if (!answer.is_error) {
          state.loaded = answer.loaded;
          state.onChange();
        }
        return { answer: toAnswer(answer.output, answer.is_error) };
      }
      const tool = tools.find((each) => each.name === name);
      if (!tool)
        return { answer: toAnswer(`There is no tool ${JSON.stringify(name.slice(0, 100))} for this token.`, true) };
      if (!select(tools).includes(tool)) return { answer: toAnswer(describeUnloaded(tool), true) };
      return { tool, arguments: args };
    },
  };
}

/**
 * Meta mode as a client sees it: four tools in place of all. What `execute` names is called like any other tool, by the
 * same policy.
 */
import { type ExportedTool, type ListedTool, listExportedTools } from "@/lib/proxy/list-exported-tools";
import type { McpClient } from "@/lib/proxy/mcp-client";
import { createMeta } from "@/lib/proxy/meta/create-meta";
import type { MetaAnswer, MetaItem, MetaSource } from "@/lib/proxy/meta/meta-source";
import { OWN_LISTED, toTextAnswer } from "@/lib/proxy/own-tools";
import type { Answer } from "@/lib/proxy/rules/answers";
import type { ToolView } from "@/lib/proxy/tool-view";

/** By the list that they were made from, so that the search index is made once for it. */
const itemsOf = new WeakMap<readonly ExportedTool[], readonly MetaItem[]>();

export function createMetaView({ deps, profile }: McpClient): ToolView {
  const servers = profile.agent.servers.map(({ name }) => name);
  const read = async (): Promise<{ tools: readonly ExportedTool[]; source: MetaSource }> => {
    const tools = await listExportedTools(deps, profile);
    const listed = new Set(tools.map(({ server }) => server));
    const unavailable = servers
      .filter((server) => !listed.has(server))
      .map((server) => ({ server, reason: "it lists no tool that this token may call, or cannot be reached now" }));
    return { tools, source: { servers, items: toItems(tools), unavailable } };
  };
  return {
    list: async () => {
      const { tools } = createMeta({ servers, items: [], unavailable: [] });
      return [...(tools as readonly ListedTool[]), ...OWN_LISTED].map((listed) => ({ listed, mayAsk: false }));
    },
    // Its arguments are those of `execute`, which no header repeats.
    peek: async () => null,
    async find(name, args) {
      const { tools, source } = await read();
      const meta = createMeta(source);
      switch (name) {
        case "search":
        case "load":
        case "help":
          return { answer: toAnswer(meta[name](args)) };
        case "execute": {
          const resolved = meta.resolveExecute(args);
          if (!resolved.ok) return { answer: toAnswer(resolved.answer) };
          const { server, tool, arguments: given } = resolved.target;
          const found = tools.find((each) => each.server === server && each.definition.name === tool);
          if (!found) throw new Error(`unreachable: ${server}.${tool} was found and is not listed`);
          return { tool: found, arguments: given };
        }
        default: {
          const known = "the tools are search, load, execute and help";
          return { answer: toTextAnswer(`There is no tool ${JSON.stringify(name.slice(0, 100))}; ${known}.`, true) };
        }
      }
    },
  };
}

function toItems(tools: readonly ExportedTool[]): readonly MetaItem[] {
  const known = itemsOf.get(tools);
  if (known) return known;
  const items = tools.map(({ server, definition, danger, policy }): MetaItem => {
    return { kind: "tool", server, type: "mcp", definition, danger, policy };
  });
  itemsOf.set(tools, items);
  return items;
}

const toAnswer = ({ isError, data }: MetaAnswer): Answer => ({
  content: [{ type: "text", text: JSON.stringify(data) }],
  structuredContent: { ...data },
  ...(isError && { isError: true }),
  _meta: {},
});

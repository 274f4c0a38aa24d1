/** The four tools as a client lists them. Short: this is what meta mode costs before anything is asked. Pure. */
import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from "./meta-arguments";
import type { MetaToolDefinition } from "./meta-source";

/** Names of servers tell a model what it can search for; a long list would cost what meta mode saves. */
const SERVERS_NAMED_MAX = 12;

export function describeMetaTools(servers: readonly string[]): MetaToolDefinition[] {
  const text = (description: string) => ({ type: "string", description });
  return [
    {
      name: "search",
      description: `Find tools by what they do, best first, each with its danger and whether a person is asked first.${nameServers(servers)}`,
      inputSchema: {
        type: "object",
        properties: {
          query: text("Words; mcp:NAME limits it to a server, type:NAME to a type, local:* to local items"),
          limit: { type: "integer", minimum: 1, maximum: SEARCH_LIMIT_MAX, default: SEARCH_LIMIT_DEFAULT },
        },
        required: ["query"],
      },
      annotations: { readOnlyHint: true },
    },
    {
      name: "load",
      description:
        "Get the full definition of tools that search found: input schema, danger, who is asked. Load a tool before you execute it.",
      inputSchema: {
        type: "object",
        properties: { names: { type: "array", items: { type: "string" }, description: "Such as server.tool" } },
        required: ["names"],
      },
      annotations: { readOnlyHint: true },
    },
    {
      name: "execute",
      description: "Call a tool. A person may have to approve the call first.",
      inputSchema: {
        type: "object",
        properties: {
          tool: text("server.tool"),
          arguments: { type: "object", description: "As its input schema says" },
        },
        required: ["tool"],
      },
    },
    {
      name: "help",
      description: "How to search, load and execute, and what waiting for a person means.",
      inputSchema: { type: "object", properties: { topic: text("search, load, execute, approvals or errors") } },
      annotations: { readOnlyHint: true },
    },
  ];
}

function nameServers(servers: readonly string[]): string {
  if (servers.length === 0) return "";
  const left = servers.length - SERVERS_NAMED_MAX;
  return ` Servers: ${servers.slice(0, SERVERS_NAMED_MAX).join(", ")}${left > 0 ? ` and ${left} more` : ""}.`;
}

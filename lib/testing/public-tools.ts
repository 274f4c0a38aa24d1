/** The tools of three public MCP servers as a profile grants them, for tests of what clients are shown of real lists. */
import { assessDanger, isAtLeast } from "@/lib/policy/danger";
import type { MetaSource, MetaTool } from "@/lib/proxy/meta/meta-source";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import recorded from "./public-tools.json";

interface RecordedServer {
  name: string;
  package: string;
  tools: ToolDefinition[];
}

export function readPublicTools(): RecordedServer[] {
  return recorded.servers as unknown as RecordedServer[];
}

export function metaTool(server: string | null, definition: ToolDefinition, more: Partial<MetaTool> = {}): MetaTool {
  const danger = assessDanger(definition.annotations).level;
  return {
    kind: "tool",
    server,
    type: "mcp",
    definition,
    danger,
    policy: {
      decision: isAtLeast(danger, "medium") ? "ask" : "allow",
      reason: `its danger is ${danger}`,
      approvers: [],
      minApprovals: 1,
      dependsOnArguments: false,
    },
    ...more,
  };
}

export function publicSource(): MetaSource {
  const servers = readPublicTools();
  return {
    servers: servers.map(({ name }) => name),
    items: servers.flatMap(({ name, tools }) => tools.map((tool) => metaTool(name, tool))),
    unavailable: [],
  };
}

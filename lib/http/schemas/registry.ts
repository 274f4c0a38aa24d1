import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";

const tag = "Registry";

const serverSchema = z
  .strictObject({
    name: z.string(),
    origin: z.enum(["local", "marketplace", "builtin"]),
    description: z.string().nullable(),
    transport: z.string(),
    url: z.string().nullable(),
    toolset: z.string().nullable(),
    required: z.boolean(),
    file: z.string().nullable(),
    agents: z.array(z.string()).describe("That name it"),
    profiles: z.array(z.string()).describe("That name it"),
    tools: z.int().describe("In its last list"),
    health: z.enum(["ok", "unreachable", "unknown"]).describe("As the last process found it that asked"),
    last_error: z.string().nullable(),
    list_hash: z.string().nullable(),
    listed_at: z.iso.datetime().nullable(),
    checked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "ToolServer" });

const toolSchema = z
  .strictObject({
    name: z.string().describe("`server.tool`"),
    server: z.string(),
    tool: z.string(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    toolset: z.string().nullable(),
    annotations: z.record(z.string(), z.unknown()).nullable().describe("What the server claims"),
    input_schema: z.record(z.string(), z.unknown()),
    output_schema: z.record(z.string(), z.unknown()).nullable(),
    danger: z.enum(["safe", "low", "medium", "high", "critical"]),
    danger_reason: z.string(),
    read_only: z.boolean(),
    destructive: z.boolean(),
    fingerprint: z.string().describe("Of the definition as it was last seen"),
    pinned_fingerprint: z.string().nullable(),
    pin: z.enum(["pinned", "trusted_first_use", "new", "changed", "renamed"]),
    first_seen_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime(),
    gone_at: z.iso
      .datetime()
      .nullable()
      .describe("When its server's list was first without it; null while it is there"),
  })
  .meta({ id: "Tool" });

const toolsSchema = z.strictObject({ items: z.array(toolSchema) }).meta({ id: "ToolList" });

export const listServers = defineOperation({
  id: "listServers",
  method: "GET",
  path: "/registry/servers",
  tag,
  summary: "The project's tool servers, with their health",
  permission: "registry:read",
  response: z.strictObject({ items: z.array(serverSchema) }).meta({ id: "ToolServerList" }),
});

export const listTools = defineOperation({
  id: "listTools",
  method: "GET",
  path: "/registry/tools",
  tag,
  summary: "All tools as they were last seen",
  permission: "registry:read",
  query: z.strictObject({ server: z.string().max(200).optional().describe("Only those of this server") }),
  response: toolsSchema,
});

export const searchTools = defineOperation({
  id: "searchTools",
  method: "GET",
  path: "/registry/tools/search",
  tag,
  summary: "Tools by words in name, title or description",
  permission: "registry:read",
  query: z.strictObject({ q: z.string().trim().min(1, "is missing").max(200) }),
  response: toolsSchema,
});

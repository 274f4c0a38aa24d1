import { z } from "zod";
import { agentServerSchema, toolsetSchema } from "./agent-schema";
import { durationSchema } from "./duration";
import { envEntrySchema, nameSchema } from "./field-schemas";
import { allowlistEntrySchema, permissionsSchema } from "./permission-schema";

/** Longer than any client waits for an answer; a call that waits longer is answered as pending, and is not lost. */
const HOLD_MAX_MS = 15 * 60_000;
const holdSchema = (defaultText: string) => durationSchema({ minMs: 0, maxMs: HOLD_MAX_MS }).prefault(defaultText);

/** An agent's entry, without what only older agent files have, and in the words of a profile. */
const profileServerSchema = agentServerSchema
  .omit({ persistent_id: true })
  .extend({
    name: agentServerSchema.shape.name.describe(
      "With `path`: the name of the server for clients and reviewers, its own if absent. Alone: an entry of `servers.yaml`",
    ),
    params: agentServerSchema.shape.params.describe(
      "Values of the server's params; `{{ env.NAME }}` stands for a variable of this profile",
    ),
    access: z
      .strictObject({
        allowlist: z
          .array(
            allowlistEntrySchema.describe(
              "A tool that clients may call: a name or prefix, or an object with require_approval",
            ),
          )
          .describe("The tools that clients may call; nothing else can be called"),
      })
      .optional()
      .describe('Which of its tools clients may call; all if absent, as with the allowlist `["*"]`'),
  })
  .describe("A tool server behind the profile");

export const profileSchema = z
  .strictObject({
    name: nameSchema("a profile").describe("Name of the profile; its calls are runs of `mcp:NAME`"),
    description: z.string().optional().describe("Who uses it, and for what"),
    instructions: z
      .string()
      .max(1_500, "at most 1500 characters: clients cut what they are told, and Kimitsu adds how calls wait")
      .optional()
      .describe("What the client's model is told about these tools, before Kimitsu's own words on waiting calls"),
    mode: z
      .enum(["tools", "meta"])
      .default("tools")
      .describe("`tools` lists every tool; `meta` lists only `search`, `load`, `execute` and `help`"),
    prefix: z
      .enum(["always", "never"])
      .default("always")
      .describe("`always` names a tool `server__tool`; `never` uses its own name, which must then be unique"),
    env: z.array(envEntrySchema).default([]).describe("Variables that the params of its servers use"),
    servers: z
      .array(profileServerSchema)
      .min(1, "a profile needs at least one server")
      .describe("Tool servers behind it; their params may use `{{ env.NAME }}`"),
    permissions: permissionsSchema.optional().describe("The permission policy for calls through this profile"),
    toolsets: z.array(toolsetSchema).optional().describe("Toolsets that are open from the start; all if absent"),
    session_budget_usd: z
      .number()
      .positive()
      .finite()
      .optional()
      .describe("The most that the tools of one session may cost, in US dollars"),
    hold: z
      .strictObject({
        task: holdSchema("3s").describe("For a client that supports tasks, before it gets a task"),
        progress: holdSchema("210s").describe("For a client that asked for progress, before the pending answer"),
        plain: holdSchema("45s").describe("For any other client, before the pending answer"),
      })
      .prefault({})
      .describe("How long a request is kept open while a person decides; 15 minutes at most"),
    sampling: z.boolean().default(false).describe("Whether servers may ask the client's model"),
    elicitation: z.boolean().default(false).describe("Whether servers may ask the client's user"),
  })
  .describe("What MCP clients may do through Kimitsu");

export type Profile = z.infer<typeof profileSchema>;

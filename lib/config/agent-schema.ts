import { z } from "zod";
import { nameSchema, schemaHolderSchema } from "./field-schemas";
import { allowlistSchema, permissionsSchema, toolPatternSchema } from "./permission-schema";

export const agentServerSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .optional()
      .describe(
        "With `path`: the name under which this agent knows the server, its own if absent. Alone: an entry of `servers.yaml`",
      ),
    path: z.string().min(1).optional().describe("File of a local server, relative to the project folder"),
    params: z
      .record(z.string(), z.json())
      .default({})
      .describe("Values of the server's params; `{{ params.NAME }}` stands for a param of the agent"),
    access: z
      .strictObject({ allowlist: allowlistSchema })
      .optional()
      .describe('Which of its tools the agent may call; all if absent, as with the allowlist `["*"]`'),
    persistent_id: z.string().optional().describe("Accepted from older projects, with templates too, and not used"),
  })
  .describe("A tool server that the agent uses");

const subagentSchema = z
  .union([
    z.string().min(1),
    z.strictObject({
      path: z.string().min(1).describe("File of the agent, relative to the project folder"),
      tools: z
        .array(toolPatternSchema)
        .optional()
        .describe(
          "Tools it may use, as `server.tool` or `server.*`; those of its parent that its own file allows, if absent",
        ),
      params: z
        .record(z.string(), z.json())
        .default({})
        .describe("Params that the parent fixes; the model gives the others. Secrets can only be given here"),
    }),
  ])
  .describe("An agent that this one may call: its path, or its path with what it may do");

export const toolsetSchema = z
  .union([
    z.string().min(1),
    z.strictObject({
      name: z.string().min(1).describe("Name of the toolset"),
      write: z.boolean().default(false).describe("True: its writing tools are loaded too"),
    }),
  ])
  .describe("A toolset: its name, or its name with whether its writing tools are loaded too");

const promptSchema = z
  .strictObject({
    system: z
      .string()
      .min(1)
      .describe("Instructions; always the same text, so that providers can cache it: no `{{ }}`"),
    user: z
      .string()
      .min(1)
      .optional()
      .describe("The task; `{{ params.NAME }}` stands for a param. The params as JSON if absent"),
    reflect: z
      .string()
      .min(1)
      .optional()
      .describe("Asked once when `ktsu_confidence` is under the step's `confidence_threshold`"),
  })
  .describe("What the model is told");

export const agentSchema = z
  .strictObject({
    name: nameSchema("an agent").describe("Name of the agent"),
    description: z.string().optional().describe("What the agent does"),
    model: z.string().min(1).describe("Model group of `gateway.yaml`"),
    max_turns: z
      .number()
      .int()
      .min(1)
      .max(200)
      .default(10)
      .describe("Most turns; the last one is told to conclude and gets no tools"),
    params: schemaHolderSchema.optional().describe("JSON Schema of the agent's params"),
    prompt: promptSchema,
    servers: z.array(agentServerSchema).prefault([]).describe("Tool servers that the agent uses"),
    permissions: permissionsSchema.optional(),
    toolsets: z
      .array(toolsetSchema)
      .optional()
      .describe(
        "Toolsets whose reading tools are loaded from the start; the rest is loaded on demand by `load_toolset`, and cannot be called before",
      ),
    subagents: z.array(subagentSchema).optional().describe("Agents that this one may call"),
    sub_agents: z
      .array(subagentSchema)
      .optional()
      .describe("Same as `subagents`, for older projects; give one of them"),
    output: schemaHolderSchema.optional().describe("JSON Schema that the agent's answer must fit"),
  })
  .describe("An agent: its instructions, its tools, and what it must ask for");

export type Agent = z.infer<typeof agentSchema>;

import { z } from "zod";
import { durationSchema } from "./duration";
import { httpUrlSchema, serverNameSchema } from "./field-schemas";
import { dangerLevelSchema } from "./permission-schema";

const annotationsSchema = z
  .strictObject({
    title: z.string().optional().describe("Name for people"),
    readOnlyHint: z.boolean().optional().describe("The tool changes nothing"),
    destructiveHint: z.boolean().optional().describe("The tool may destroy something"),
    idempotentHint: z
      .boolean()
      .optional()
      .describe("Calling it twice with the same arguments is the same as once; it may then be tried again"),
    openWorldHint: z.boolean().optional().describe("The tool acts on the world outside of its server"),
  })
  .describe("MCP annotations that the server does not declare itself; they only ever tighten");

const toolFactsSchema = z
  .strictObject({
    danger: dangerLevelSchema.optional().describe("Danger level of the tool"),
    annotations: annotationsSchema.optional(),
    cost_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("Cost of one call in US dollars, counted against budgets"),
    summary: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        "Sentence on the reviewer's card; `{{ args.NAME }}` stands for an argument, and a list of plain words reads as one",
      ),
  })
  .describe("Facts about one tool");

const authSchema = z
  .strictObject({
    header: z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "not a valid HTTP header name")
      .default("Authorization")
      .describe("Header that carries the secret"),
    scheme: z
      .enum(["bearer", "raw"])
      .default("bearer")
      .describe('`bearer` puts "Bearer " before the secret, `raw` sends it as it is'),
    secret: z.string().min(1).describe("`{{ params.NAME }}` of a param marked secret, or a literal in backticks"),
  })
  .describe("How requests to the server are authenticated");

const serverParamSchema = z
  .strictObject({
    description: z.string().optional().describe("What the param is for"),
    secret: z
      .boolean()
      .default(false)
      .describe("True: the value is shown nowhere and must come from something that is secret too"),
    default: z
      .json()
      .optional()
      .describe("Value when neither agent nor workflow gives one; a param without default must be given"),
  })
  .describe("One param of the server");

const processLimitsSchema = z
  .strictObject({
    memory_mb: z
      .int()
      .min(16)
      .max(1_048_576)
      .default(1_024)
      .describe("Most memory of the program and all that it starts, in megabytes; over it, all of them are ended"),
    start_timeout: durationSchema({ minMs: 1_000, maxMs: 600_000 })
      .prefault("30s")
      .describe("Longest time from its start to its first answer, such as `2m`; `30s` if absent"),
    idle: durationSchema({ minMs: 1_000 })
      .prefault("5m")
      .describe("How long it is kept without a call, such as `1h`; `5m` if absent"),
  })
  .describe("What the program may use; only with `transport: stdio`");

/** The fields of a tool server; what belongs to which transport is checked in `checks/check-servers.ts`. */
export const serverSchema = z
  .strictObject({
    name: serverNameSchema,
    description: z.string().optional().describe("What the server offers"),
    url: httpUrlSchema.optional().describe("Address of the MCP server; required unless `transport` is `stdio`"),
    transport: z
      .enum(["http", "sse", "stdio"])
      .default("http")
      .describe(
        "`http` tries Streamable HTTP, then HTTP+SSE; `stdio` starts a process and must be allowed by the deployment",
      ),
    command: z.string().min(1).optional().describe("Program to start; only with `transport: stdio`"),
    args: z.array(z.string()).optional().describe("Arguments of the program; only with `transport: stdio`"),
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        "Environment of the program, which sees nothing else; values may be `{{ params.NAME }}`; only with `transport: stdio`",
      ),
    limits: processLimitsSchema.optional(),
    auth: authSchema.optional(),
    list_auth: z
      .enum(["auth", "none"])
      .default("auth")
      .describe(
        "`none`: the server is connected to and its tools are listed without `auth` and secret params, which are only sent with a call that may be made; `auth` sends them from the start",
      ),
    params: z
      .record(z.string(), serverParamSchema)
      .default({})
      .describe("Params that agents and workflows give; sent to the server when it is initialized"),
    params_transport: z
      .enum(["meta", "config"])
      .default("meta")
      .describe(
        '`meta` sends params under `_meta["dev.kimitsu/params"]`; `config` is for servers that expect the older `params.config`',
      ),
    rate_limit: z
      .string()
      .regex(
        /^[1-9][0-9]{0,8}\/(second|minute|hour|day)$/,
        'expected a number per second, minute, hour or day, such as "100/minute"',
      )
      .optional()
      .describe("Most calls in a time, over all processes, such as `100/minute`"),
    timeout: durationSchema({ minMs: 100, maxMs: 3_600_000 })
      .prefault("60s")
      .describe("Longest time of one call, such as `30s`; `60s` if absent"),
    required: z
      .boolean()
      .default(true)
      .describe(
        "True: a run fails at its start when the server cannot be reached; false: it goes on without it, with the event `server.unreachable` on its trail",
      ),
    refresh: durationSchema({ minMs: 1_000 })
      .prefault("1h")
      .describe("How long its list of tools is trusted, such as `1h`; `1h` if absent"),
    toolset: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]*$/, "a toolset has lower-case letters, digits, hyphens and underscores")
      .optional()
      .describe("Tag by which agents load its tools on demand"),
    tools: z
      .record(z.string(), toolFactsSchema)
      .default({})
      .describe("Facts about tools, by name, that the server does not declare itself"),
  })
  .describe("A tool server: where it is, how to authenticate, which params it takes");

export type Server = z.infer<typeof serverSchema>;

export function processLimitsOf({ limits }: Pick<Server, "limits">): NonNullable<Server["limits"]> {
  return limits ?? processLimitsSchema.parse({});
}

export const serversSchema = z
  .strictObject({
    servers: z.array(serverSchema).describe("Tool servers that agents refer to by name alone"),
  })
  .describe("Tool servers shared by all agents; all values are literals");

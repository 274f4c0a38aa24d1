import { z } from "zod";
import type { Operation } from "@/lib/http/operation";
import { OPERATIONS } from "@/lib/http/operations";

type Json = Record<string, unknown>;

const errorSchema = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      request_id: z.string(),
      issues: z.array(z.strictObject({ path: z.string(), message: z.string() })),
    }),
  })
  .meta({ id: "Error" });

const TAGS: Record<string, string> = {
  Runs: "Start runs, follow them, end them.",
  Approvals: "What waits for people, and their decisions.",
  Calls: "Tool calls whose outcome a person settles.",
  Registry: "Tool servers and their tools, as they are known now.",
  Settings: "Switches of the whole installation.",
  Audit: "What happened, by whom, in a chain that can be verified.",
  Operations: "For whoever runs Kimitsu.",
};

let document: Json | undefined;

/** OpenAPI 3.1, generated from the same schemas that validate requests and answers. */
export function openApiDocument(): Json {
  return (document ??= build(OPERATIONS));
}

function build(operations: Operation[]): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, (schema, io) => collect(schema, io, schemas));
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Kimitsu",
      version: "0.1.0",
      description:
        "Runs, approvals, tool servers and the audit trail. Times are ISO 8601 in UTC; absent values are null; ids carry their kind.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "An API token; its scopes are named with each operation.",
        },
        session: { type: "apiKey", in: "cookie", name: "authjs.session-token", description: "The browser's session." },
      },
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "The same key with the same request gives the same answer for a day, and creates nothing twice; with another request it is refused with 409.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

type Collect = (schema: z.ZodType, io: "input" | "output") => Json;

function describeOperation(operation: Operation, collect: Collect): Json {
  const isPublic = operation.permission === "public";
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [
      operation.description,
      isPublic
        ? "Needs no sign-in."
        : `Needs \`${operation.permission}\`${operation.ownDoor ? `, or ${operation.ownDoor}` : ""}.`,
    ]
      .filter(Boolean)
      .join(" "),
    security: isPublic ? [] : [{ token: [] }, { session: [] }],
    parameters: [
      ...parametersOf(operation.params, "path", collect),
      ...parametersOf(operation.query, "query", collect),
      ...(operation.creates ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: collect(operation.body, "input") } },
          },
        }
      : {}),
    responses: describeResponses(operation, collect),
    "x-permission": operation.permission,
  };
}

function describeResponses(operation: Operation, collect: Collect): Json {
  const content =
    typeof operation.response === "string"
      ? Object.fromEntries(operation.response.split(", ").map((type) => [type, { schema: { type: "string" } }]))
      : { "application/json": { schema: collect(operation.response, "output") } };
  const success = { [operation.status ?? 200]: { description: "Success", content } };
  const others = Object.entries(operation.otherStatuses ?? {}).map(([status, description]) => [
    status,
    { description, content },
  ]);
  const error = (description: string) => ({
    description,
    content: { "application/json": { schema: collect(errorSchema, "output") } },
  });
  return {
    ...success,
    ...Object.fromEntries(others),
    ...(operation.permission === "public"
      ? {}
      : { 401: error("Not signed in, or a token that does not work"), 403: error("Signed in, but not allowed") }),
    ...(operation.params ? { 404: error("Not there, or not for the caller to see") } : {}),
    ...(operation.params || operation.query || operation.body
      ? { 422: error("Refused, with every problem listed") }
      : {}),
    "4XX": error("Refused"),
    "5XX": error("A fault on this side; the request id leads to it in the log"),
  };
}

function parametersOf(schema: z.ZodType | undefined, place: "path" | "query", collect: Collect): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = collect(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description ? { description } : {}),
    schema: rest,
  }));
}

/** Named schemas are listed once in components and referenced; others are inlined. */
function collect(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const {
    $schema: _dialect,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, { io, target: "draft-2020-12", unrepresentable: "any" }) as Json & {
    $defs?: Record<string, Json>;
  };
  const named = moveRefs({ ...rest }) as Json;
  for (const [name, definition] of Object.entries($defs ?? {})) schemas[name] = withoutId(moveRefs(definition) as Json);
  const id = schema.meta()?.id;
  if (!id) return named;
  if (!("$ref" in named)) schemas[id] = withoutId(named);
  return { $ref: `#/components/schemas/${id}` };
}

function withoutId({ id: _id, ...schema }: Json): Json {
  return schema;
}

function moveRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveRefs);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "$ref" && typeof inner === "string"
        ? [key, inner.replace("#/$defs/", "#/components/schemas/")]
        : [key, moveRefs(inner)],
    ),
  );
}

/** The smallest value that a JSON Schema of ours accepts, so that a request reaches the rules behind the schema. */
type Schema = Record<string, unknown>;

export function exampleOf(schema: Schema, document: Schema): unknown {
  const {
    $ref,
    const: only,
    enum: choices,
    anyOf,
    oneOf,
    default: given,
    type,
  } = schema as {
    $ref?: string;
    const?: unknown;
    enum?: unknown[];
    anyOf?: Schema[];
    oneOf?: Schema[];
    default?: unknown;
    type?: string;
  };
  if ($ref !== undefined) return exampleOf(follow($ref, document), document);
  if (only !== undefined) return only;
  if (choices) return choices[0];
  const branch = anyOf?.[0] ?? oneOf?.[0];
  if (branch) return exampleOf(branch, document);
  if (given !== undefined) return given;
  switch (type) {
    case "object":
      return objectOf(schema, document);
    case "array":
      return [];
    case "string":
      return schema.format === "date-time" ? "2026-01-31T09:30:00Z" : "a".repeat(Number(schema.minLength ?? 1));
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return {};
  }
}

function objectOf(schema: Schema, document: Schema): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, document)]));
}

function follow(reference: string, document: Schema): Schema {
  return reference
    .slice(2)
    .split("/")
    .reduce<Schema>((at, name) => at[name] as Schema, document);
}

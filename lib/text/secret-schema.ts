/** Which parts of a value a JSON Schema marks as secret. Where branches differ, one that marks it is enough. */

export type Schema = unknown;

/**
 * The schema itself and all that apply beside it, each once, so that one that refers to itself does not loop forever.
 */
function expand(schema: Schema, root: Schema, seen = new Set<object>()): Record<string, unknown>[] {
  if (!isRecord(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const combined = ["allOf", "anyOf", "oneOf"].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  const conditional = ["if", "then", "else"].map((key) => schema[key]);
  const target = typeof schema.$ref === "string" ? resolve(schema.$ref, root) : undefined;
  return [schema, ...[...combined, ...conditional, target].flatMap((inner) => expand(inner, root, seen))];
}

export function isSecretSchema(schemas: readonly Schema[], root: Schema): boolean {
  return schemas
    .flatMap((schema) => expand(schema, root))
    .some(
      (schema) =>
        schema.secret === true ||
        schema["x-secret"] === true ||
        schema.writeOnly === true ||
        schema.format === "password",
    );
}

/** The schemas that apply to a property or to an element. */
export function childSchemas(schemas: readonly Schema[], root: Schema, key: string | number): Schema[] {
  return schemas
    .flatMap((schema) => expand(schema, root))
    .flatMap((schema) => {
      if (typeof key === "number") {
        const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
        return key < prefix.length ? [prefix[key]] : [schema.items];
      }
      const own = isRecord(schema.properties) && Object.hasOwn(schema.properties, key) ? [schema.properties[key]] : [];
      const byPattern = isRecord(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
      // Patterns are untrusted and not run; all of them count.
      return [...own, ...byPattern, ...(own.length === 0 ? [schema.additionalProperties] : [])];
    });
}

/** Only references within the same document: nothing is ever fetched. */
function resolve(reference: string, root: Schema): Schema {
  if (!reference.startsWith("#")) return undefined;
  let current: Schema = root;
  for (const part of reference
    .slice(1)
    .split("/")
    .filter((name) => name !== "")) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isRecord(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

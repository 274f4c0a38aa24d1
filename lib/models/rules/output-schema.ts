/**
 * The schema of an agent's answer, in two forms: what the model is given, and what the answer is checked against. Pure.
 */
import { isReserved } from "./reserved-fields";

type Schema = Readonly<Record<string, unknown>>;

/** One schema for the model; of an agent's and its step's, both hold. Null when neither states one. */
export function joinOutputSchemas(schemas: readonly Schema[]): Schema | null {
  const [first, ...others] = schemas.filter(
    (schema, place) => schemas.findIndex((other) => JSON.stringify(other) === JSON.stringify(schema)) === place,
  );
  if (first === undefined) return null;
  return others.length === 0 ? first : { allOf: [first, ...others] };
}

/** Compiled schemas are cached by the schema's identity, so each has one stripped form. */
const stripped = new WeakMap<Schema, Schema>();

/**
 * The schema without what it says of `ktsu_` fields: they are taken out of an answer before the check, so requiring one
 * would refuse every answer. Only what holds for the answer itself is changed, not what holds for objects inside it.
 */
export function withoutReserved(schema: Schema): Schema {
  const known = stripped.get(schema);
  if (known) return known;
  const result = JSON.stringify(schema).includes('"ktsu_') ? (strip(schema, schema, []) as Schema) : schema;
  stripped.set(schema, result);
  return result;
}

function strip(node: unknown, root: Schema, within: readonly unknown[]): unknown {
  if (!isSchema(node) || within.includes(node)) return node;
  const inner = [...within, node];
  const result: Record<string, unknown> = { ...node };
  const { $ref, required, properties, dependentRequired, dependentSchemas } = node;
  if (Array.isArray(required)) result.required = required.filter((name) => !isReservedName(name));
  if (isSchema(properties)) result.properties = dropNames(properties);
  if (isSchema(dependentRequired))
    result.dependentRequired = dropNames(dependentRequired, (names) =>
      Array.isArray(names) ? names.filter((name) => !isReservedName(name)) : names,
    );
  if (isSchema(dependentSchemas))
    result.dependentSchemas = dropNames(dependentSchemas, (each) => strip(each, root, inner));
  if (Array.isArray(node.allOf)) result.allOf = node.allOf.map((each) => strip(each, root, inner));
  for (const keyword of ["then", "else"])
    if (isSchema(node[keyword])) result[keyword] = strip(node[keyword], root, inner);
  for (const keyword of ["anyOf", "oneOf"]) {
    if (!Array.isArray(node[keyword])) continue;
    const branches = node[keyword].filter((branch) => !asksForReservedOnly(branch));
    if (branches.length === 0) delete result[keyword];
    else result[keyword] = branches.map((each) => strip(each, root, inner));
  }
  const target = typeof $ref === "string" ? resolve(root, $ref) : undefined;
  if (!isSchema(target) || within.includes(target)) return result;
  delete result.$ref;
  return { ...result, allOf: [...((result.allOf as unknown[] | undefined) ?? []), strip(target, root, inner)] };
}

/** No answer can match such a branch; without it the others keep their meaning. */
function asksForReservedOnly(branch: unknown): boolean {
  return (
    isSchema(branch) &&
    Array.isArray(branch.required) &&
    branch.required.length > 0 &&
    branch.required.every(isReservedName)
  );
}

function dropNames(fields: Schema, keep: (value: unknown) => unknown = (value) => value): Schema {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !isReserved(name))
      .map(([name, value]) => [name, keep(value)]),
  );
}

function resolve(root: Schema, reference: string): unknown {
  // A reference that is not well-formed is left as it is; the check itself then says that the schema cannot be used.
  if (!reference.startsWith("#/") || /%(?![0-9a-fA-F]{2})/.test(reference)) return undefined;
  const path = reference
    .slice(2)
    .split("/")
    .map((part) => unescape(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce<unknown>(
    (node, part) => (isSchema(node) && Object.hasOwn(node, part) ? node[part] : undefined),
    root,
  );
}

/** Byte by byte, so that no sequence can fail; non-ASCII names are not written in this form. */
const unescape = (part: string): string =>
  part.replaceAll(/%[0-9a-fA-F]{2}/g, (escaped) => String.fromCodePoint(Number.parseInt(escaped.slice(1), 16)));

const isReservedName = (name: unknown): boolean => typeof name === "string" && isReserved(name);
const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === "object" && !Array.isArray(value);

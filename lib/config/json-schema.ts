/** JSON Schemas of a project: 2020-12, no unknown keywords, and nothing that would have to be fetched. */
import type { Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ValuePath } from "./problem";

export const JSON_SCHEMA_KEYWORDS = [
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "items",
  "prefixItems",
  "contains",
  "minContains",
  "maxContains",
  "minItems",
  "maxItems",
  "uniqueItems",
  "unevaluatedItems",
  "unevaluatedProperties",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "$ref",
  "$defs",
  "$id",
  "$schema",
  "$comment",
  "$anchor",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "secret",
];

/** The validator for every JSON Schema of a project. `secret` is our own mark and constrains nothing. */
export function createSchemaValidator(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allErrors: true,
    logger: false,
    ...options,
  });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  ajv.addKeyword({ keyword: "secret", schemaType: "boolean" });
  return ajv;
}

type Visit<T> = (schema: Record<string, unknown>, at: ValuePath) => T | null;

const MAPS = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SINGLE = new Set([
  "items",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema",
]);

/** Visits every schema inside a schema; values such as `default` and `enum` are data and not visited. */
function findInSchema<T>(value: unknown, at: ValuePath, visit: Visit<T>): T | null {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const schema = value as Record<string, unknown>;
  const found = visit(schema, at);
  if (found !== null) return found;
  for (const [keyword, child] of Object.entries(schema)) {
    const children = SINGLE.has(keyword)
      ? [[keyword, child] as const]
      : MAPS.has(keyword) || LISTS.has(keyword)
        ? Object.entries((child ?? {}) as object)
        : [];
    for (const [key, inner] of children) {
      const position = LISTS.has(keyword) ? Number(key) : key;
      const result = findInSchema(inner, SINGLE.has(keyword) ? [...at, keyword] : [...at, keyword, position], visit);
      if (result !== null) return result;
    }
  }
  return null;
}

/** Every schema inside a schema, itself included, with its path. */
export function listSchemas(schema: unknown): { at: ValuePath; schema: Record<string, unknown> }[] {
  const found: { at: ValuePath; schema: Record<string, unknown> }[] = [];
  findInSchema(schema, [], (inner, at) => {
    found.push({ at, schema: inner });
    return null;
  });
  return found;
}

export function findForeignReference(schema: unknown, at: ValuePath): { at: ValuePath; target: string } | null {
  return findInSchema(schema, at, (inner, place) => {
    const target = inner.$ref ?? inner.$dynamicRef;
    return typeof target === "string" && !target.startsWith("#") ? { at: [...place, "$ref"], target } : null;
  });
}

export function findUnknownKeyword(schema: unknown, at: ValuePath): { at: ValuePath; keyword: string } | null {
  return findInSchema(schema, at, (inner, place) => {
    const keyword = Object.keys(inner).find((key) => !JSON_SCHEMA_KEYWORDS.includes(key));
    return keyword === undefined ? null : { at: [...place, keyword], keyword };
  });
}

/**
 * How a model is given the schema of its answer: as the provider's structured output where that means the same, else as
 * text in the system prompt, which is the same in every run. In both forms the `ktsu_` fields stay possible.
 */
import { isReserved, RESERVED_PROPERTIES } from "@/lib/models/rules/reserved-fields";
import { STRUCTURED_OPTIONAL_FIELDS_MAX } from "./limits";
import type { JsonObject } from "./model";

/** Text for the end of the system prompt. */
export function describeOutput(schema: JsonObject): string {
  const { properties } = schema;
  const own = isObject(properties) ? properties : {};
  const fields = Object.entries(RESERVED_PROPERTIES).filter(([name]) => own[name] !== false);
  return [
    "When you have all you need, your final answer is one JSON object and nothing else. It fits this JSON Schema:",
    JSON.stringify(schema),
    "Whatever the schema says, it may also have these fields:",
    ...fields.map(([name, { type, description }]) => `- ${name} (${type}): ${description}`),
  ].join("\n");
}

/** What providers support, or turn into a description themselves. Anything else would silently be lost. */
const KEYWORDS = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "title",
  "description",
  "format",
  "$schema",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
]);

/**
 * The schema with its objects closed, which providers demand, and with the reserved fields; null where that would
 * change its meaning.
 */
export function toStructuredSchema(schema: JsonObject): JsonObject | null {
  if (schema.type !== "object" || !isObject(schema.properties)) return null;
  const own = schema.properties;
  // A field that the author forbids is left out altogether.
  const offered = Object.entries(RESERVED_PROPERTIES).filter(([name]) => !Object.hasOwn(own, name));
  const properties = Object.fromEntries([
    ...Object.entries(own).filter(([name, each]) => !(isReserved(name) && each === false)),
    ...offered,
  ]) as JsonObject;
  const counted = { optional: 0 };
  const closed = close({ ...schema, properties }, counted);
  return counted.optional <= STRUCTURED_OPTIONAL_FIELDS_MAX ? closed : null;
}

function close(node: unknown, counted: { optional: number }): JsonObject | null {
  if (!isObject(node) || Object.keys(node).some((keyword) => !KEYWORDS.has(keyword))) return null;
  const { type, properties, additionalProperties, items, anyOf, required } = node;
  const isObjectType = [type].flat().includes("object") || properties !== undefined;
  // An object that may have any field cannot be expressed as a closed one.
  if (isObjectType && (!isObject(properties) || (additionalProperties !== undefined && additionalProperties !== false)))
    return null;
  const result: JsonObject = { ...node };
  if (isObject(properties)) {
    const entries = Object.entries(properties).map(([name, each]) => [name, close(each, counted)] as const);
    if (entries.some(([, each]) => each === null)) return null;
    counted.optional += entries.filter(([name]) => !(Array.isArray(required) && required.includes(name))).length;
    Object.assign(result, { properties: Object.fromEntries(entries), additionalProperties: false });
  }
  const branches = Array.isArray(anyOf) ? anyOf.map((each) => close(each, counted)) : [];
  const element = items === undefined ? undefined : close(items, counted);
  if (element === null || branches.includes(null)) return null;
  return { ...result, ...(element && { items: element }), ...(branches.length > 0 && { anyOf: branches }) };
}

/** Models from before structured output. Other providers and newer models have it, or refuse it with 400. */
const TOO_OLD = /claude-(?:instant|v?2|3)(?:$|[-.:@])|claude-(?:sonnet|opus)-4(?:$|[-@](?:0|2))/;

/**
 * Servers that are only compatible with OpenAI often cannot call tools while the form of the answer is fixed, so they
 * get text.
 */
export function hasStructuredOutput({ model, type }: { model: string; type: string }): boolean {
  if (type === "anthropic") return model.includes("claude-") && !TOO_OLD.test(model);
  return type === "openai";
}

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * What the JSON Schemas of params and outputs say about one value: whether it is declared, of which type, whether it is
 * secret.
 */
import type { Agent } from "./agent-schema";
import type { JsonSchema } from "./field-schemas";
import type { StepTarget } from "./links";
import type { Step } from "./step-schema";
import type { Workflow } from "./workflow-schema";

export function propertiesOf(schema: JsonSchema | undefined): Record<string, JsonSchema> {
  const properties = schema?.properties;
  return isRecord(properties) ? (properties as Record<string, JsonSchema>) : {};
}

export function requiredOf(schema: JsonSchema | undefined): string[] {
  return Array.isArray(schema?.required)
    ? schema.required.filter((name): name is string => typeof name === "string")
    : [];
}

/**
 * True when a schema allows names that it does not list. JSON Schema does so by default; params only when the file says
 * so.
 */
export function isOpen(schema: JsonSchema): boolean {
  return (
    schema.additionalProperties === true || isRecord(schema.additionalProperties) || isRecord(schema.patternProperties)
  );
}

/** The schema of the value at a path, or null when it cannot be known. */
export function schemaAt(schema: JsonSchema | null | undefined, path: readonly string[]): JsonSchema | null {
  let current: JsonSchema | null = schema ?? null;
  for (const name of path) {
    if (current === null) return null;
    const items: unknown = /^\d+$/.test(name) && isRecord(current.items) ? current.items : undefined;
    const properties = propertiesOf(current);
    current =
      Object.hasOwn(properties, name) && isRecord(properties[name])
        ? (properties[name] as JsonSchema)
        : ((items as JsonSchema | undefined) ?? null);
  }
  return current;
}

/** True when the value at a path, something it is part of, or something inside of it is marked secret. */
export function isSecretAt(schema: JsonSchema | undefined, path: readonly string[]): boolean {
  for (let length = 0; length <= path.length; length += 1) {
    if (schemaAt(schema, path.slice(0, length))?.secret === true) return true;
  }
  return containsSecret(schemaAt(schema, path));
}

export function containsSecret(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(containsSecret);
  if (!isRecord(schema)) return false;
  return (
    schema.secret === true ||
    Object.entries(schema).some(
      ([key, child]) => key !== "default" && key !== "examples" && key !== "enum" && containsSecret(child),
    )
  );
}

/** The JSON types that a schema allows, or null when it does not say. */
export function typesOf(schema: JsonSchema | null): readonly string[] | null {
  if (schema === null) return null;
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  const names = types.filter((type): type is string => typeof type === "string");
  if (names.length > 0) return names;
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(typeOf))];
  return Object.hasOwn(schema, "const") ? [typeOf(schema.const)] : null;
}

export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** False only when no value could be of both. */
export function areTypesCompatible(given: readonly string[] | null, wanted: readonly string[] | null): boolean {
  if (given === null || wanted === null) return true;
  return given.some(
    (type) =>
      wanted.includes(type) ||
      (type === "integer" && wanted.includes("number")) ||
      (type === "number" && wanted.includes("integer")),
  );
}

/** What a step's output looks like, or null when it cannot be known before it runs. */
export function outputSchemaOf(step: Step, target: StepTarget | null): JsonSchema | null {
  if ("transform" in step) return { type: "object", properties: { result: {} } };
  if ("for_each" in step && step.for_each) return { type: "object", properties: { results: { type: "array" } } };
  if (step.output !== undefined) return step.output.schema;
  if (target?.kind === "agent") return (target.agent.definition as Agent).output?.schema ?? null;
  return target?.kind === "workflow" ? workflowOutputSchema(target.workflow.definition) : null;
}

function workflowOutputSchema({ output }: Workflow): JsonSchema | null {
  if (output?.schema !== undefined) return output.schema;
  if (output?.map === undefined) return null;
  return { type: "object", properties: Object.fromEntries(Object.keys(output.map).map((name) => [name, {}])) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

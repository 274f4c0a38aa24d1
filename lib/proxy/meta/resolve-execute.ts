/**
 * `execute`: which call is meant. Refuses what cannot be one, with all that a model needs to correct it; whether the call
 * may be made is judged by the engine. Pure.
 */
import { findNearest } from "@/lib/config/problem";
import { mapText, nameHidden } from "@/lib/text/tool-text";
import { listSchemaViolations } from "@/lib/tools/schema-check";
import { describeUnknown, findItem, nameOf } from "./item-names";
import { executeSchema, parseArguments, refusal } from "./meta-arguments";
import type { ExecuteResolution, MetaAnswer, MetaItem, MetaSource } from "./meta-source";

/** Characters of a schema that are repeated whole in a refusal. */
const WHOLE_SCHEMA_LENGTH_MAX = 1_500;
const PROBLEMS_MAX = 30;

export function resolveExecute(source: MetaSource, args: unknown): ExecuteResolution {
  const parsed = parseArguments("execute", executeSchema, args);
  if (!parsed.ok) return parsed;
  const { tool, arguments: values } = parsed.value;
  const item = findItem(source.items, tool);
  if (!item) {
    const { problem, ...rest } = describeUnknown(source, tool);
    return { ok: false, answer: refusal("not_found", `Nothing was executed: ${problem}.`, rest) };
  }
  if (item.server === null)
    return {
      ok: false,
      answer: refusal("not_found", `Nothing was executed: ${nameOf(item)} cannot be executed here.`),
    };
  const problems = findProblems(item.definition.inputSchema, values);
  if (problems.length > 0) return { ok: false, answer: refuseArguments(item, problems) };
  return { ok: true, target: { kind: "tool", server: item.server, tool: item.definition.name, arguments: values } };
}

interface Problem {
  path: string;
  message: string;
}

/** A schema that cannot be applied says nothing about the arguments: the server itself will. */
function findProblems(schema: Readonly<Record<string, unknown>>, values: unknown): Problem[] {
  try {
    return listSchemaViolations(schema, values);
  } catch {
    return [];
  }
}

function refuseArguments(item: MetaItem, problems: readonly Problem[]): MetaAnswer {
  const { inputSchema } = item.definition;
  const known = propertiesOf(inputSchema);
  const left = problems.length - PROBLEMS_MAX;
  const lines = problems.slice(0, PROBLEMS_MAX).map(({ path, message }) => {
    const nearest = message === "is not known" ? findNearest(path, Object.keys(known)) : undefined;
    const text = `${path === "" ? "arguments" : path}: ${message}`;
    return nearest === undefined ? text : `${text}; did you mean ${nearest}`;
  });
  return refusal("invalid_request", `${nameOf(item)} was not executed: its arguments do not fit its schema.`, {
    problems: left > 0 ? [...lines, `and ${left} more`] : lines,
    schema: mapText(relevantPart(inputSchema, problems), nameHidden),
  });
}

/** The whole schema where it is short; otherwise what is required, and the properties that the problems are in. */
function relevantPart(
  schema: Readonly<Record<string, unknown>>,
  problems: readonly Problem[],
): Readonly<Record<string, unknown>> {
  if (JSON.stringify(schema).length <= WHOLE_SCHEMA_LENGTH_MAX) return schema;
  const known = propertiesOf(schema);
  const names = Object.keys(known).filter((name) =>
    problems.some(({ path }) => path === name || path.startsWith(`${name}.`)),
  );
  return {
    ...(schema.required !== undefined && { required: schema.required }),
    properties: Object.fromEntries(names.map((name) => [name, known[name]])),
    other_properties: Object.keys(known).filter((name) => !names.includes(name)),
  };
}

function propertiesOf({ properties }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>) : {};
}

/**
 * Checks values against JSON Schemas that a tool server wrote. Such a schema may be wrong, huge, or made to take
 * forever; none of it may block this process.
 */
import { createContext, Script } from "node:vm";
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { findForeignReference } from "@/lib/config/json-schema";
import { SCHEMA_CHECK_MS } from "./tool-limits";

/** `unusable`: the schema itself cannot be applied. */
export type SchemaVerdict =
  | { kind: "fits" }
  | { kind: "violation"; problems: string[] }
  | { kind: "unusable"; reason: string };

const PROBLEMS_MAX = 10;
const SCHEMA_VIOLATIONS_MAX = 100;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const MODERN = /^https?:\/\/json-schema\.org\/draft\/(2019-09|2020-12)\/schema#?$/;

const run = new Script("check()");
/** One for all checks: it only carries the function that is called under the time limit. */
const carrier: { check: () => SchemaVerdict } = { check: () => ({ kind: "fits" }) };
const context = createContext(carrier);

export function checkAgainstSchema(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  timeoutMs = SCHEMA_CHECK_MS,
): SchemaVerdict {
  return within(schema, timeoutMs, () => check(schema, value));
}

/**
 * For values that a person gave under a schema of the project: every violation, each with its path. Empty when it fits;
 * throws when the schema cannot be applied.
 */
export function listSchemaViolations(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): { path: string; message: string }[] {
  let violations: { path: string; message: string }[] = [];
  const verdict = within(schema, SCHEMA_CHECK_MS, () => {
    const validate = compile(schema, { allErrors: true });
    if (!validate(value)) violations = (validate.errors ?? []).slice(0, SCHEMA_VIOLATIONS_MAX).map(toSchemaViolation);
    return { kind: "fits" };
  });
  if (verdict.kind === "unusable") throw new Error(`The schema cannot be applied: ${verdict.reason}`);
  return violations;
}

function within(
  schema: Readonly<Record<string, unknown>>,
  timeoutMs: number,
  work: () => SchemaVerdict,
): SchemaVerdict {
  const nature = natureOf(schema);
  if (nature !== "plain" && nature !== "demanding") return nature;
  const begun = process.threadCpuUsage();
  // The limit is on CPU time, but scripts are ended by wall-clock time: on a busy machine a check that got less than
  // half of its time is repeated with more.
  for (let clockMs = timeoutMs; ; clockMs *= 2) {
    try {
      if (nature === "plain") return work();
      // The time limit of a script ends whatever runs in it, regular expressions included.
      carrier.check = work;
      return run.runInContext(context, { timeout: clockMs }) as SchemaVerdict;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT")
        return { kind: "unusable", reason: (error instanceof Error ? error.message : String(error)).slice(0, 200) };
      const used = process.threadCpuUsage(begun);
      if ((used.user + used.system) / 1000 >= timeoutMs / 2)
        return { kind: "unusable", reason: `checking takes longer than ${timeoutMs} ms` };
    }
  }
}

/** Keywords whose check visits each part of a value once, whatever the schema's author intended. */
const PLAIN_KEYWORDS = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "$schema",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
const PLAIN_NODES_MAX = 500;

/** `plain` needs no time limit, which would cost more than the check itself. A schema is classified once. */
const natures = new WeakMap<object, "plain" | "demanding" | SchemaVerdict>();

function natureOf(schema: Readonly<Record<string, unknown>>): "plain" | "demanding" | SchemaVerdict {
  const known = natures.get(schema);
  if (known !== undefined) return known;
  const foreign = findForeignReference(schema, []);
  const nature = foreign
    ? ({
        kind: "unusable",
        reason: `it refers to ${JSON.stringify(foreign.target.slice(0, 100))}, and nothing is fetched for a schema`,
      } as const)
    : countPlain(schema) <= PLAIN_NODES_MAX
      ? "plain"
      : "demanding";
  natures.set(schema, nature);
  return nature;
}

/** How many schemas it consists of; infinite when one of them uses more than plain keywords, or uses them wrongly. */
function countPlain(schema: unknown): number {
  if (typeof schema === "boolean") return 1;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return Number.POSITIVE_INFINITY;
  let count = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (!PLAIN_KEYWORDS.has(keyword) || count > PLAIN_NODES_MAX) return Number.POSITIVE_INFINITY;
    if (keyword === "enum" || keyword === "required" || keyword === "type") {
      if (Array.isArray(value) ? value.length > PLAIN_NODES_MAX : keyword !== "type") return Number.POSITIVE_INFINITY;
    } else if (keyword === "properties") {
      if (typeof value !== "object" || value === null) return Number.POSITIVE_INFINITY;
      for (const property of Object.values(value)) count += countPlain(property);
    } else if (keyword === "items" || keyword === "additionalProperties") count += countPlain(value);
  }
  return count;
}

/**
 * Compiling takes milliseconds, and a listed schema is used for every call, one of the project for every run; it is
 * released with the list, or with the project.
 */
const compiled = { first: new WeakMap<object, ValidateFunction>(), all: new WeakMap<object, ValidateFunction>() };

function compile(schema: Readonly<Record<string, unknown>>, { allErrors }: { allErrors: boolean }): ValidateFunction {
  const known = compiled[allErrors ? "all" : "first"];
  const { $schema: dialect, ...rest } = schema;
  const validate = known.get(schema) ?? createValidator(dialect, allErrors).compile(rest as AnySchema);
  known.set(schema, validate);
  return validate;
}

function check(schema: Readonly<Record<string, unknown>>, value: unknown): SchemaVerdict {
  const validate = compile(schema, { allErrors: false });
  if (validate(value)) return { kind: "fits" };
  return { kind: "violation", problems: (validate.errors ?? []).slice(0, PROBLEMS_MAX).map(describe) };
}

/** A schema without a dialect is 2020-12, as MCP says. Unknown keywords are ignored. */
function createValidator(dialect: unknown, allErrors: boolean): Ajv | Ajv2020 {
  const options = { allErrors, strict: false, logger: false, validateSchema: false, addUsedSchema: false } as const;
  if (typeof dialect === "string" && !DRAFT_07.test(dialect) && !MODERN.test(dialect))
    throw new Error(`its dialect ${JSON.stringify(dialect.slice(0, 100))} is not known`);
  const ajv = typeof dialect === "string" && DRAFT_07.test(dialect) ? new Ajv(options) : new Ajv2020(options);
  (addFormats as unknown as (instance: Ajv | Ajv2020) => void)(ajv);
  return ajv;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const extra = typeof params.additionalProperty === "string" ? ` (${JSON.stringify(params.additionalProperty)})` : "";
  return `${instancePath === "" ? "the value" : instancePath} ${message ?? "does not fit"}${extra}`;
}

/** The path itself names a field that is missing, or should not be there. */
function toSchemaViolation({ instancePath, message = "does not fit", params }: ErrorObject): {
  path: string;
  message: string;
} {
  const at = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (typeof params.missingProperty === "string")
    return { path: [...at, params.missingProperty].join("."), message: "is missing" };
  if (typeof params.additionalProperty === "string")
    return { path: [...at, params.additionalProperty].join("."), message: "is not known" };
  const allowed = Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.map((each) => JSON.stringify(each)).join(", ")}`
    : "";
  return { path: at.join("."), message: `${message}${allowed}` };
}

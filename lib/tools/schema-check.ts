/** Checks values against JSON Schemas that a tool server wrote. Such a schema may be wrong, huge, or made to take forever; none of it may hold this process. */
import { createContext, Script } from "node:vm";
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { findForeignReference } from "@/lib/config/json-schema";
import { SCHEMA_CHECK_MS } from "./tool-limits";

/** `unusable`: the schema itself cannot be applied. */
export type SchemaVerdict = { kind: "fits" } | { kind: "misfit"; problems: string[] } | { kind: "unusable"; reason: string };

const PROBLEMS_MAX = 10;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const MODERN = /^https?:\/\/json-schema\.org\/draft\/(2019-09|2020-12)\/schema#?$/;

const run = new Script("check()");

export function checkAgainstSchema(schema: Readonly<Record<string, unknown>>, value: unknown, timeoutMs = SCHEMA_CHECK_MS): SchemaVerdict {
  const foreign = findForeignReference(schema, []);
  if (foreign) return { kind: "unusable", reason: `it refers to ${JSON.stringify(foreign.target.slice(0, 100))}, and nothing is fetched for a schema` };
  try {
    // The time limit of a script ends whatever runs in it, regular expressions included.
    return run.runInContext(createContext({ check: () => check(schema, value) }), { timeout: timeoutMs }) as SchemaVerdict;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return { kind: "unusable", reason: `checking takes longer than ${timeoutMs} ms` };
    return { kind: "unusable", reason: (error instanceof Error ? error.message : String(error)).slice(0, 200) };
  }
}

/** Compiling takes milliseconds and a listed schema is used for every call; it is forgotten with the list. */
const compiled = new WeakMap<object, ValidateFunction>();

function check(schema: Readonly<Record<string, unknown>>, value: unknown): SchemaVerdict {
  const { $schema: dialect, ...rest } = schema;
  const validate = compiled.get(schema) ?? createValidator(dialect).compile(rest as AnySchema);
  compiled.set(schema, validate);
  if (validate(value)) return { kind: "fits" };
  return { kind: "misfit", problems: (validate.errors ?? []).slice(0, PROBLEMS_MAX).map(describe) };
}

/** A schema without a dialect is of 2020-12, as MCP says. Unknown keywords are none of our business. */
function createValidator(dialect: unknown): Ajv | Ajv2020 {
  const options = { strict: false, logger: false, validateSchema: false, addUsedSchema: false } as const;
  if (typeof dialect === "string" && !DRAFT_07.test(dialect) && !MODERN.test(dialect)) throw new Error(`its dialect ${JSON.stringify(dialect.slice(0, 100))} is not known`);
  const ajv = typeof dialect === "string" && DRAFT_07.test(dialect) ? new Ajv(options) : new Ajv2020(options);
  (addFormats as unknown as (instance: Ajv | Ajv2020) => void)(ajv);
  return ajv;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const extra = typeof params.additionalProperty === "string" ? ` (${JSON.stringify(params.additionalProperty)})` : "";
  return `${instancePath === "" ? "the value" : instancePath} ${message ?? "does not fit"}${extra}`;
}

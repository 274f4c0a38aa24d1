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
const MISFITS_MAX = 100;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const MODERN = /^https?:\/\/json-schema\.org\/draft\/(2019-09|2020-12)\/schema#?$/;

const run = new Script("check()");

export function checkAgainstSchema(schema: Readonly<Record<string, unknown>>, value: unknown, timeoutMs = SCHEMA_CHECK_MS): SchemaVerdict {
  return within(schema, timeoutMs, () => check(schema, value));
}

/** For values that a person gave under a schema of the project's own: every misfit, each with the path to it. Empty when it fits; throws when the schema cannot be applied. */
export function listMisfits(schema: Readonly<Record<string, unknown>>, value: unknown): { path: string; message: string }[] {
  let misfits: { path: string; message: string }[] = [];
  const verdict = within(schema, SCHEMA_CHECK_MS, () => {
    const { $schema: dialect, ...rest } = schema;
    const validate = createValidator(dialect, true).compile(rest as AnySchema);
    if (!validate(value)) misfits = (validate.errors ?? []).slice(0, MISFITS_MAX).map(toMisfit);
    return { kind: "fits" };
  });
  if (verdict.kind === "unusable") throw new Error(`The schema cannot be applied: ${verdict.reason}`);
  return misfits;
}

function within(schema: Readonly<Record<string, unknown>>, timeoutMs: number, work: () => SchemaVerdict): SchemaVerdict {
  const foreign = findForeignReference(schema, []);
  if (foreign) return { kind: "unusable", reason: `it refers to ${JSON.stringify(foreign.target.slice(0, 100))}, and nothing is fetched for a schema` };
  const begun = process.threadCpuUsage();
  // The limit is on work, but scripts are ended by the clock: on a busy machine a check that got less than half of its time is made again, with more.
  for (let clockMs = timeoutMs; ; clockMs *= 2) {
    try {
      // The time limit of a script ends whatever runs in it, regular expressions included.
      return run.runInContext(createContext({ check: work }), { timeout: clockMs }) as SchemaVerdict;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") return { kind: "unusable", reason: (error instanceof Error ? error.message : String(error)).slice(0, 200) };
      const used = process.threadCpuUsage(begun);
      if ((used.user + used.system) / 1000 >= timeoutMs / 2) return { kind: "unusable", reason: `checking takes longer than ${timeoutMs} ms` };
    }
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
function createValidator(dialect: unknown, allErrors = false): Ajv | Ajv2020 {
  const options = { allErrors, strict: false, logger: false, validateSchema: false, addUsedSchema: false } as const;
  if (typeof dialect === "string" && !DRAFT_07.test(dialect) && !MODERN.test(dialect)) throw new Error(`its dialect ${JSON.stringify(dialect.slice(0, 100))} is not known`);
  const ajv = typeof dialect === "string" && DRAFT_07.test(dialect) ? new Ajv(options) : new Ajv2020(options);
  (addFormats as unknown as (instance: Ajv | Ajv2020) => void)(ajv);
  return ajv;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const extra = typeof params.additionalProperty === "string" ? ` (${JSON.stringify(params.additionalProperty)})` : "";
  return `${instancePath === "" ? "the value" : instancePath} ${message ?? "does not fit"}${extra}`;
}

/** A field that is missing, or should not be there, is named by the path itself. */
function toMisfit({ instancePath, message = "does not fit", params }: ErrorObject): { path: string; message: string } {
  const at = instancePath.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (typeof params.missingProperty === "string") return { path: [...at, params.missingProperty].join("."), message: "is missing" };
  if (typeof params.additionalProperty === "string") return { path: [...at, params.additionalProperty].join("."), message: "is not known" };
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.map((each) => JSON.stringify(each)).join(", ")}` : "";
  return { path: at.join("."), message: `${message}${allowed}` };
}

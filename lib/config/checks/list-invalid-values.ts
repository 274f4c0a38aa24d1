/**
 * Values in a schema (defaults, listed values) that do not fit the schema itself. A default that does not fit makes
 * every run fail that relies on it; a listed value of another type can never be given.
 */
import type { ErrorObject } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { listSchemas } from "@/lib/config/json-schema";
import { typeOf, typesOf } from "@/lib/config/param-schemas";
import { describe } from "@/lib/config/zod-problems";
import type { Mistake } from "./check-json-schemas";

/** The name under which the whole schema is known while its parts refer to it. */
const WHOLE = "whole";

export function listInvalidValues(ajv: Ajv2020, whole: Record<string, unknown>): Mistake[] {
  // A secret has no value in a file; that is reported elsewhere, without the value.
  const parts = listSchemas(whole).filter(({ schema }) => schema.secret !== true);
  const stated = parts.flatMap(({ at, schema }) => [
    ...(schema.default === undefined
      ? []
      : [{ part: at, at: [...at, "default"], value: schema.default, what: "default" }]),
    ...(Array.isArray(schema.examples)
      ? schema.examples.map((value: unknown, index) => ({
          part: at,
          at: [...at, "examples", index],
          value,
          what: "example",
        }))
      : []),
  ]);
  const impossible = parts.flatMap(({ at, schema }) =>
    listImpossible(schema).map(({ field, value }) => ({ at: [...at, ...field], ...explainImpossible(schema, value) })),
  );
  if (stated.length === 0) return impossible;
  try {
    ajv.addSchema(whole, WHOLE);
    return [
      ...impossible,
      ...stated.flatMap(({ part, at, value, what }) => {
        const problem = findSchemaViolation(ajv, part, value);
        return problem === null
          ? []
          : [
              {
                at,
                message: `${describe(value)} does not fit its own schema: ${problem}`,
                hint: `change the ${what}, or the schema`,
              },
            ];
      }),
    ];
  } finally {
    ajv.removeSchema(WHOLE);
  }
}

function findSchemaViolation(ajv: Ajv2020, part: readonly (string | number)[], value: unknown): string | null {
  const pointer = part
    .map((key) => `/${encodeURIComponent(String(key).replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("");
  const reference = { $ref: `${WHOLE}#${pointer}` };
  try {
    const validate = ajv.compile(reference);
    return validate(value) ? null : [...new Set((validate.errors ?? []).slice(0, 3).map(explain))].join("; ");
  } finally {
    ajv.removeSchema(reference);
  }
}

function explain({ instancePath, message = "does not fit", params }: ErrorObject): string {
  const where = instancePath === "" ? "it" : instancePath.slice(1).replaceAll("/", ".");
  const allowed = (params as { allowedValues?: unknown }).allowedValues;
  return `${where} ${Array.isArray(allowed) ? `must be one of ${allowed.map((each) => JSON.stringify(each)).join(", ")}` : message}`;
}

function listImpossible(schema: Record<string, unknown>): { field: (string | number)[]; value: unknown }[] {
  const values = [
    ...(Array.isArray(schema.enum)
      ? schema.enum.map((value: unknown, index) => ({ field: ["enum", index], value }))
      : []),
    ...(Object.hasOwn(schema, "const") ? [{ field: ["const"], value: schema.const }] : []),
  ];
  return schema.type === undefined ? [] : values.filter(({ value }) => !isOfType(value, typesOf(schema)));
}

/** Unlike for a value that is not known yet, 2.5 is no integer here. */
function isOfType(value: unknown, types: readonly string[] | null): boolean {
  const type = typeOf(value);
  return types === null || types.includes(type) || (type === "integer" && types.includes("number"));
}

function explainImpossible(schema: Record<string, unknown>, value: unknown): { message: string; hint: string } {
  return {
    message: `${describe(value)} can never be given, because the type is ${(typesOf(schema) ?? []).join(" or ")}`,
    hint: "change the value, or the type",
  };
}

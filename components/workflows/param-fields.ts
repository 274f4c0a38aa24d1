import { printValue, readText, type Schema, type SchemaField, toSchemaField } from "@/components/ui/schema-field";

/** One field of the form that starts a workflow. */
export interface ParamField extends SchemaField {
  label: string;
  hint: string;
  /** As it stands in the form to begin with. */
  initial: string;
}

const EXAMPLES_NAMED = 3;
const YES_NO = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** The fields for a params schema, in the order of the file. */
export function toParamFields(schema: Schema | undefined): ParamField[] {
  const properties = (schema?.properties ?? {}) as Record<string, Schema | boolean>;
  const required = new Set(Array.isArray(schema?.required) ? (schema.required as string[]) : []);
  return Object.entries(properties).map(([name, property]) =>
    toParamField(name, typeof property === "object" ? property : {}, required.has(name)),
  );
}

function toParamField(name: string, schema: Schema, required: boolean): ParamField {
  const field = toSchemaField(name, schema, { required: required && schema.default === undefined });
  return {
    ...field,
    choices: field.kind === "boolean" ? YES_NO : field.choices,
    label: typeof schema.title === "string" ? schema.title : name,
    hint: [describe(schema), ...describeLimits(schema, field)].filter(Boolean).join(" "),
    // A default of a secret stays where it is written.
    initial: field.kind === "secret" || schema.default === undefined ? "" : printValue(field.kind, schema.default),
  };
}

function describe({ description }: Schema): string {
  if (typeof description !== "string" || description === "") return "";
  return /[.!?]$/.test(description) ? description : `${description}.`;
}

function describeLimits(schema: Schema, { kind, examples }: SchemaField): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, minLength, maxLength, type, format } = schema;
  return [
    ...(kind === "lines" ? ["One on each line."] : []),
    ...(kind === "json"
      ? [
          `JSON${typeof type === "string" ? `: ${type === "object" || type === "array" ? `an ${type}` : `a ${type}`}` : ""}.`,
        ]
      : []),
    ...(type === "integer" ? ["A whole number."] : []),
    ...(typeof minimum === "number" ? [`At least ${minimum}.`] : []),
    ...(typeof maximum === "number" ? [`At most ${maximum}.`] : []),
    ...(typeof minLength === "number" && minLength > 1 ? [`At least ${minLength} characters.`] : []),
    ...(typeof maxLength === "number" ? [`At most ${maxLength} characters.`] : []),
    ...(typeof exclusiveMinimum === "number" ? [`More than ${exclusiveMinimum}.`] : []),
    ...(typeof exclusiveMaximum === "number" ? [`Less than ${exclusiveMaximum}.`] : []),
    ...(kind === "text" && format === "date-time" ? ["A time with its zone, such as 2026-01-31T09:30:00Z."] : []),
    ...(typeof pattern === "string"
      ? [examples.length > 0 ? `Such as ${examples.slice(0, EXAMPLES_NAMED).join(", ")}.` : `Must match ${pattern}.`]
      : []),
    ...(kind === "secret" ? ["A secret: it is sealed, shown nowhere, and forgotten when the run ends."] : []),
  ];
}

/**
 * The name of a field's control. Forms that are refused send back what was typed, except under names that say password.
 */
export function controlName({ name, kind }: Pick<ParamField, "name" | "kind">): string {
  return `${kind === "secret" ? "password" : "param"}:${name}`;
}

/**
 * What was typed, as the values that the workflow takes. An empty field that need not be filled is left out. What
 * cannot be read is named; whether the values fit is for the schema to say.
 */
export function readParams(
  fields: readonly ParamField[],
  typed: (control: string) => string | undefined,
): { params: Record<string, unknown>; issues: { path: string; message: string }[] } {
  const params: Record<string, unknown> = {};
  const issues: { path: string; message: string }[] = [];
  for (const field of fields) {
    const text = typed(controlName(field));
    if (text === undefined || text.trim() === "") {
      if (field.required) issues.push({ path: field.name, message: "is needed" });
      continue;
    }
    const read = readText(field.kind, field.kind === "lines" ? trimLines(text) : text);
    if ("problem" in read) issues.push({ path: field.name, message: read.problem });
    else params[field.name] = read.value;
  }
  return { params, issues };
}

function trimLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .join("\n");
}

/** One field of the form that starts a workflow. */
export interface ParamField {
  name: string;
  label: string;
  kind: "text" | "long" | "number" | "yes_no" | "choice" | "lines" | "json" | "secret";
  /** What the browser offers for a text: a date picker, a keyboard with an @. */
  inputType: "text" | "date" | "datetime-local" | "email" | "url" | "time";
  required: boolean;
  hint: string;
  /** As it stands in the form to begin with. */
  initial: string;
  choices: { value: string; label: string }[];
  /** Offered while typing. */
  examples: string[];
}

type Schema = Readonly<Record<string, unknown>>;

const LONG_FROM = 200;
const EXAMPLES_NAMED = 3;
const INPUT_TYPES: Readonly<Record<string, ParamField["inputType"]>> = { date: "date", time: "time", email: "email", uri: "url" };

/** The fields for a params schema, in the order of the file. */
export function toParamFields(schema: Schema | undefined): ParamField[] {
  const properties = (schema?.properties ?? {}) as Record<string, Schema | boolean>;
  const required = new Set(Array.isArray(schema?.required) ? (schema.required as string[]) : []);
  return Object.entries(properties).map(([name, property]) => toField(name, typeof property === "object" ? property : {}, required.has(name)));
}

function toField(name: string, schema: Schema, required: boolean): ParamField {
  const kind = kindOf(schema);
  const choices = kind === "choice" ? (schema.enum as unknown[]).map((value) => ({ value: JSON.stringify(value), label: typeof value === "string" ? value : JSON.stringify(value) })) : [];
  return {
    name,
    label: typeof schema.title === "string" ? schema.title : name,
    kind,
    inputType: INPUT_TYPES[String(schema.format)] ?? "text",
    required: required && schema.default === undefined,
    hint: [describe(schema), ...describeLimits(schema, kind)].filter(Boolean).join(" "),
    // A default of a secret stays where it is written.
    initial: kind === "secret" || schema.default === undefined ? "" : toText(kind, schema.default),
    choices,
    examples: kind === "text" ? examplesOf(schema) : [],
  };
}

function kindOf(schema: Schema): ParamField["kind"] {
  if (schema.secret === true) return "secret";
  if (Array.isArray(schema.enum)) return "choice";
  const { type } = schema;
  if (type === "boolean") return "yes_no";
  if (type === "number" || type === "integer") return "number";
  if (type === "string") return typeof schema.maxLength === "number" && schema.maxLength > LONG_FROM ? "long" : "text";
  if (type === "array" && (schema.items as Schema | undefined)?.type === "string") return "lines";
  return "json";
}

function examplesOf({ examples }: Schema): string[] {
  return Array.isArray(examples) ? examples.filter((example): example is string => typeof example === "string") : [];
}

function describe({ description }: Schema): string {
  if (typeof description !== "string" || description === "") return "";
  return /[.!?]$/.test(description) ? description : `${description}.`;
}

function describeLimits(schema: Schema, kind: ParamField["kind"]): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, minLength, maxLength, type, format } = schema;
  const examples = examplesOf(schema);
  return [
    ...(kind === "lines" ? ["One on each line."] : []),
    ...(kind === "json" ? [`JSON${typeof type === "string" ? `: ${type === "object" || type === "array" ? `an ${type}` : `a ${type}`}` : ""}.`] : []),
    ...(type === "integer" ? ["A whole number."] : []),
    ...(typeof minimum === "number" ? [`At least ${minimum}.`] : []),
    ...(typeof maximum === "number" ? [`At most ${maximum}.`] : []),
    ...(typeof minLength === "number" && minLength > 1 ? [`At least ${minLength} characters.`] : []),
    ...(typeof maxLength === "number" ? [`At most ${maxLength} characters.`] : []),
    ...(typeof exclusiveMinimum === "number" ? [`More than ${exclusiveMinimum}.`] : []),
    ...(typeof exclusiveMaximum === "number" ? [`Less than ${exclusiveMaximum}.`] : []),
    ...(kind === "text" && format === "date-time" ? ["A time with its zone, such as 2026-01-31T09:30:00Z."] : []),
    ...(typeof pattern === "string" ? [examples.length > 0 ? `Such as ${examples.slice(0, EXAMPLES_NAMED).join(", ")}.` : `Must match ${pattern}.`] : []),
    ...(kind === "secret" ? ["A secret: it is sealed, shown nowhere, and forgotten when the run ends."] : []),
  ];
}

function toText(kind: ParamField["kind"], value: unknown): string {
  if (kind === "lines" && Array.isArray(value)) return value.join("\n");
  if (kind === "choice") return JSON.stringify(value);
  if (kind === "json") return JSON.stringify(value, null, 2);
  return String(value);
}

/** The name of a field's control. Forms that are refused give back what was typed, except under names that say password. */
export function controlName({ name, kind }: Pick<ParamField, "name" | "kind">): string {
  return `${kind === "secret" ? "password" : "param"}:${name}`;
}

/**
 * What was typed, as the values that the workflow takes. An empty field that need not be filled is left out. What cannot be read
 * is named; whether the values fit is for the schema to say.
 */
export function readParams(fields: readonly ParamField[], typed: (control: string) => string | undefined): { params: Record<string, unknown>; issues: { path: string; message: string }[] } {
  const params: Record<string, unknown> = {};
  const issues: { path: string; message: string }[] = [];
  for (const field of fields) {
    const text = typed(controlName(field));
    if (text === undefined || text.trim() === "") {
      if (field.required) issues.push({ path: field.name, message: "is needed" });
      continue;
    }
    const read = readValue(field, text);
    if ("problem" in read) issues.push({ path: field.name, message: read.problem });
    else params[field.name] = read.value;
  }
  return { params, issues };
}

function readValue({ kind }: ParamField, text: string): { value: unknown } | { problem: string } {
  switch (kind) {
    case "number": {
      const value = Number(text.trim());
      return Number.isFinite(value) ? { value } : { problem: "is not a number, such as 12.5" };
    }
    case "yes_no":
      return { value: text === "true" };
    case "lines":
      return { value: text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean) };
    case "choice":
    case "json":
      try {
        return { value: JSON.parse(text) };
      } catch (error) {
        return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
      }
    default:
      return { value: text };
  }
}

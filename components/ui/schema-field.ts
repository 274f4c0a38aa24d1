/** What one property of a JSON Schema becomes in a form: its kind of control, its text, and the value that a text means. */
export type FieldKind =
  | "text"
  | "long"
  | "number"
  | "integer"
  | "boolean"
  | "choice"
  | "lines"
  | "json"
  | "secret"
  | "hidden";

export interface SchemaField {
  name: string;
  kind: FieldKind;
  required: boolean;
  /** For `choice` and `boolean`; a value is the JSON of what is chosen. */
  choices: { value: string; label: string }[];
  /** What the browser offers for a text: a date picker, a keyboard with an @. */
  inputType: "text" | "date" | "email" | "url" | "time";
  /** Offered while typing. */
  examples: string[];
}

export type Schema = Readonly<Record<string, unknown>>;

const LONG_FROM = 200;
const LINE_LENGTH_MAX = 60;
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INPUT_TYPES: Readonly<Record<string, SchemaField["inputType"]>> = {
  date: "date",
  time: "time",
  email: "email",
  uri: "url",
};

/** `value` is what the property has now, if anything: a field never changes the type of its value. */
export function toSchemaField(
  name: string,
  schema: Schema,
  { required, value }: { required: boolean; value?: unknown },
): SchemaField {
  const kind = kindOf(schema, value);
  const values = kind === "boolean" ? [true, false] : kind === "choice" ? (schema.enum as unknown[]) : [];
  const examples = (kind === "text" || kind === "long") && Array.isArray(schema.examples) ? schema.examples : [];
  return {
    name,
    kind,
    required,
    choices: values.map((choice) => ({
      value: JSON.stringify(choice),
      label: typeof choice === "string" ? choice : JSON.stringify(choice),
    })),
    inputType: INPUT_TYPES[String(schema.format)] ?? "text",
    examples: examples.filter((example): example is string => typeof example === "string"),
  };
}

function kindOf(schema: Schema, value: unknown): FieldKind {
  if (holdsRedacted(value)) return "hidden";
  if (schema.secret === true) return "secret";
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return "choice";
  const type = typeof schema.type === "string" ? schema.type : typeOf(value);
  // A value that is not of the declared type, or may be of several, is edited as JSON, so that it keeps the type it
  // has.
  if (value !== undefined && typeOf(value) !== type && !(type === "number" && typeOf(value) === "integer"))
    return "json";
  if (type === "boolean" || type === "number" || type === "integer") return type;
  const isListOfText = type === "array" && isObject(schema.items) && schema.items.type === "string";
  if (isListOfText && (value === undefined || isLines(value))) return "lines";
  if (type !== "string") return "json";
  if (typeof value === "string") return value.length > LINE_LENGTH_MAX || value.includes("\n") ? "long" : "text";
  return typeof schema.maxLength === "number" && schema.maxLength > LONG_FROM ? "long" : "text";
}

/** Whether each value of a list can stand on a line of its own, and be read from it as it was. */
function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "" && !/[\r\n]/.test(item));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function holdsRedacted(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.hasOwn(value, "$redacted") || Object.values(value).some(holdsRedacted);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** A value as it stands in its control. */
export function printValue(kind: FieldKind, value: unknown): string {
  if (kind === "lines" && Array.isArray(value)) return value.join("\n");
  if (kind === "choice") return JSON.stringify(value);
  if (kind === "json") return JSON.stringify(value, null, 2);
  return String(value);
}

/** The value that a text means, with the type that the schema wants; whether it is valid is up to the schema. */
export function readText(kind: FieldKind, text: string): { value: unknown } | { problem: string } {
  switch (kind) {
    case "number":
    case "integer":
      return readNumber(kind, text.trim());
    case "boolean":
      return { value: text === "true" };
    case "lines":
      return { value: text.split(/\r?\n/).filter((line) => line !== "") };
    case "choice":
    case "json":
      try {
        return { value: JSON.parse(text) as unknown };
      } catch (error) {
        return { problem: `is not JSON (${(error as Error).message}); text needs quotes` };
      }
    default:
      return { value: text };
  }
}

function readNumber(kind: "number" | "integer", text: string): { value: number } | { problem: string } {
  const value = Number(text);
  const isNumber = NUMBER.test(text) && Number.isFinite(value);
  if (kind === "integer" && !(isNumber && Number.isSafeInteger(value)))
    return { problem: "is not a whole number; write it like 12" };
  return isNumber ? { value } : { problem: "is not a number; write it like 196.5" };
}

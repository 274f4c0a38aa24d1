import type { ArgumentEdit } from "./decision";

/** One field of the form that a tool's JSON Schema becomes. */
export interface EditField {
  name: string;
  kind: "text" | "lines" | "number" | "integer" | "boolean" | "choice" | "items" | "json" | "hidden";
  description: string;
  required: boolean;
  /** Whether the agent gave it. */
  isGiven: boolean;
  proposed: unknown;
  /** For `choice`. */
  choices: unknown[];
}

/** What stands in the form: a text for every kind, and whether the argument is sent at all. */
export interface Draft {
  text: string;
  isSent: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

const LINE_LENGTH_MAX = 60;
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export function listEditFields(schema: Schema | null, args: unknown): EditField[] {
  const given = isObject(args) ? args : {};
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required : [];
  // Required ones first, in the order of the schema; of the others no order is on record.
  const names = [...new Set([...required.filter((name) => Object.hasOwn(properties, String(name))).map(String), ...Object.keys(properties).sort(), ...Object.keys(given).sort()])];
  return names.map((name) => {
    const property = isObject(properties[name]) ? properties[name] : {};
    const isGiven = Object.hasOwn(given, name);
    const choices = Array.isArray(property.enum) ? property.enum : [];
    return {
      name,
      kind: kindOf(property, given[name], choices),
      description: typeof property.description === "string" ? property.description : "",
      required: required.includes(name),
      isGiven,
      proposed: given[name],
      choices,
    };
  });
}

function kindOf(property: Schema, value: unknown, choices: unknown[]): EditField["kind"] {
  if (holdsRedacted(value)) return "hidden";
  if (choices.length > 0) return "choice";
  const type = typeof property.type === "string" ? property.type : typeOf(value);
  // A value that is not of the declared type, or may be of several, is edited as JSON, so that it keeps the type it has.
  if (value !== undefined && typeOf(value) !== type && !(type === "number" && typeOf(value) === "integer")) return "json";
  if (type === "boolean" || type === "number" || type === "integer") return type;
  if (type === "array" && isObject(property.items) && property.items.type === "string" && (value === undefined || isLines(value))) return "items";
  if (type !== "string") return "json";
  return typeof value === "string" && (value.length > LINE_LENGTH_MAX || value.includes("\n")) ? "lines" : "text";
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

export function toDraft(field: EditField): Draft {
  if (!field.isGiven) return { text: field.kind === "boolean" ? "false" : field.kind === "choice" ? JSON.stringify(field.choices[0]) : "", isSent: false };
  return { text: printValue(field, field.proposed), isSent: true };
}

function printValue(field: EditField, value: unknown): string {
  if (field.kind === "choice") return JSON.stringify(value);
  if (field.kind === "items" && Array.isArray(value)) return value.join("\n");
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  return String(value);
}

/** The value that a draft stands for, with the type that the schema wants. */
export function readDraft(field: EditField, { text }: Draft): { value: unknown } | { problem: string } {
  switch (field.kind) {
    case "number":
    case "integer": {
      const value = Number(text.trim());
      if (!NUMBER.test(text.trim()) || !Number.isFinite(value)) return { problem: field.kind === "integer" ? "is not a whole number; write it like 12" : "is not a number; write it like 196.5" };
      if (field.kind === "integer" && !Number.isSafeInteger(value)) return { problem: "is not a whole number; write it like 12" };
      return { value };
    }
    case "boolean":
      return { value: text === "true" };
    case "items":
      return { value: text.split(/\r?\n/).filter((line) => line !== "") };
    case "choice":
    case "json":
      try {
        return { value: JSON.parse(text) as unknown };
      } catch {
        return { problem: "is not JSON; text needs quotes" };
      }
    default:
      return { value: text };
  }
}

export interface ReadForm {
  edits: ArgumentEdit[];
  problems: Record<string, string>;
}

/** What differs from the agent's proposal. Hidden values are never among it: they are sent as they are. */
export function readForm(fields: readonly EditField[], drafts: Readonly<Record<string, Draft>>): ReadForm {
  const form: ReadForm = { edits: [], problems: {} };
  for (const field of fields) {
    const draft = drafts[field.name];
    if (!draft || field.kind === "hidden") continue;
    const was = field.isGiven ? JSON.stringify(field.proposed) : null;
    if (!draft.isSent) {
      if (field.isGiven) form.edits.push({ name: field.name, remove: true });
      continue;
    }
    const read = readDraft(field, draft);
    if ("problem" in read) form.problems[field.name] = read.problem;
    else if (JSON.stringify(read.value) !== was) form.edits.push({ name: field.name, value: read.value });
  }
  return form;
}

function holdsRedacted(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.hasOwn(value, "$redacted") || Object.values(value).some(holdsRedacted);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

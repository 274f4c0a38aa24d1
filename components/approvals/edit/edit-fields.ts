import type { ArgumentEdit } from "@/components/approvals/decide/decision";
import {
  isObject,
  printValue,
  readText,
  type Schema,
  type SchemaField,
  toSchemaField,
} from "@/components/ui/schema-field";

/** One argument in the form for changes. */
export interface EditField extends SchemaField {
  description: string;
  /** Whether the agent gave it. */
  isGiven: boolean;
  proposed: unknown;
}

/** What stands in the form: a text for every kind, and whether the argument is sent at all. */
export interface Draft {
  text: string;
  isSent: boolean;
}

export function listEditFields(schema: Schema | null, args: unknown): EditField[] {
  const given = isObject(args) ? args : {};
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required : [];
  // Required ones first, in the order of the schema; the order of the others is not recorded.
  const names = [
    ...new Set([
      ...required.filter((name) => Object.hasOwn(properties, String(name))).map(String),
      ...Object.keys(properties).sort(),
      ...Object.keys(given).sort(),
    ]),
  ];
  return names.map((name) => {
    const property = isObject(properties[name]) ? properties[name] : {};
    return {
      ...toSchemaField(name, property, { required: required.includes(name), value: given[name] }),
      // A picker would not show a value that it cannot read, and untrusted examples are not offered.
      inputType: "text",
      examples: [],
      description: typeof property.description === "string" ? property.description : "",
      isGiven: Object.hasOwn(given, name),
      proposed: given[name],
    };
  });
}

export function toDraft(field: EditField): Draft {
  if (field.isGiven) return { text: printValue(field.kind, field.proposed), isSent: true };
  const first = field.kind === "boolean" ? "false" : field.kind === "choice" ? field.choices[0]?.value : undefined;
  return { text: first ?? "", isSent: false };
}

export interface ReadForm {
  edits: ArgumentEdit[];
  problems: Record<string, string>;
}

/** What differs from the agent's proposal. Hidden values are never part of it: they are sent as they are. */
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
    const read = readText(field.kind, draft.text);
    if ("problem" in read) form.problems[field.name] = read.problem;
    else if (JSON.stringify(read.value) !== was) form.edits.push({ name: field.name, value: read.value });
  }
  return form;
}

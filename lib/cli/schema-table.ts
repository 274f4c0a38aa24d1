/** The table of fields of a reference page, from the JSON Schema of the kind. */
import type { SchemaDocument } from "@/lib/cli/schema-documents";

interface Row {
  field: string;
  type: string;
  required: boolean;
  fallback: string;
  description: string;
}

export function drawFieldTable(document: SchemaDocument): string {
  const rows = listRows(document, "", document);
  const unique = rows.filter((row, index) => rows.findIndex((other) => other.field === row.field && other.description === row.description) === index);
  const cells = unique.map((row) => `| \`${row.field}\` | ${row.type} | ${row.required ? "yes" : ""} | ${row.fallback} | ${row.description} |`);
  return ["| Field | Type | Required | Default | Description |", "|---|---|---|---|---|", ...cells].join("\n");
}

function listRows(schema: SchemaDocument, prefix: string, root: SchemaDocument): Row[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries((schema.properties ?? {}) as Record<string, SchemaDocument>).flatMap(([name, child]) => {
    const field = prefix === "" ? name : `${prefix}.${name}`;
    return [toRow(field, child, required.includes(name)), ...listInner(child, field, root)];
  });
  return [...rows, ...listBranches(schema).flatMap((branch) => listRows(branch, prefix, root))];
}

/** Rows of what lies below a field: entries of a list, values of a mapping, fields of a mapping. */
function listInner(schema: SchemaDocument, field: string, root: SchemaDocument): Row[] {
  const items = schema.items as SchemaDocument | undefined;
  const values = schema.additionalProperties;
  return [
    ...listRows(schema, field, root),
    ...(items && typeof items === "object" ? listInner(items, `${field}[]`, root) : []),
    ...(values !== null && typeof values === "object" && !("$ref" in values) ? listInner(values as SchemaDocument, `${field}.<name>`, root) : []),
    ...listBranches(schema).flatMap((branch) => (branch.items ? listInner(branch.items as SchemaDocument, `${field}[]`, root) : [])),
  ];
}

function listBranches(schema: SchemaDocument): SchemaDocument[] {
  return [...((schema.anyOf ?? []) as SchemaDocument[]), ...((schema.oneOf ?? []) as SchemaDocument[])];
}

function toRow(field: string, schema: SchemaDocument, required: boolean): Row {
  return { field, type: typeName(schema), required, fallback: "default" in schema ? `\`${JSON.stringify(schema.default)}\`` : "", description: cell(String(schema.description ?? "")) };
}

function typeName(schema: SchemaDocument): string {
  const values = (schema.enum ?? ("const" in schema ? [schema.const] : undefined)) as unknown[] | undefined;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(", ");
  const branches = listBranches(schema);
  if (branches.length > 0) return [...new Set(branches.map(typeName))].join(" or ");
  const names: Record<string, string> = { object: "mapping", array: "list", integer: "whole number", string: "text", boolean: "true or false", null: "nothing" };
  if (schema.type === "array") return `list of ${typeName((schema.items ?? {}) as SchemaDocument)}`;
  return names[String(schema.type)] ?? (typeof schema.type === "string" ? schema.type : "any value");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

const BEGIN = (kind: string) => `<!-- fields of ${kind}: written by \`npx kimitsu schema --docs\` -->`;
const END = "<!-- end of fields -->";

/** Puts the table between the page's markers; null when the page has none. */
export function replaceFieldTable(page: string, kind: string, table: string): string | null {
  const start = page.indexOf(BEGIN(kind));
  const end = page.indexOf(END, start);
  if (start < 0 || end < 0) return null;
  return `${page.slice(0, start + BEGIN(kind).length)}\n\n${table}\n\n${page.slice(end)}`;
}

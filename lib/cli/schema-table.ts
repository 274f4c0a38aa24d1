/** The table of fields of a reference page, from the JSON Schema of the kind. */
import type { SchemaDocument } from "@/lib/cli/schema-documents";

interface Row {
  field: string;
  types: string[];
  /** `kind`: only in the variant of its parent that it belongs to. */
  required: "yes" | "kind" | "no";
  fallback: string;
  descriptions: string[];
}

export function drawFieldTable(document: SchemaDocument): string {
  const words = { yes: "yes", kind: "for its kind", no: "" };
  const cells = listRows(document, "").map(
    ({ field, types, required, fallback, descriptions }) =>
      `| \`${field}\` | ${types.join(", ")} | ${words[required]} | ${fallback} | ${descriptions.join("<br>")} |`,
  );
  return ["| Field | Type | Required | Default | Description |", "|---|---|---|---|---|", ...cells].join("\n");
}

function listRows(schema: SchemaDocument, prefix: string): Row[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries((schema.properties ?? {}) as Record<string, SchemaDocument>).flatMap(([name, child]) => {
    const field = prefix === "" ? name : `${prefix}.${name}`;
    return [toRow(field, child, required.includes(name)), ...listInner(child, field)];
  });
  return [
    ...rows,
    ...mergeVariants(
      listBranches(schema)
        .filter((branch) => branch.properties)
        .map((branch) => listRows(branch, prefix)),
    ),
  ];
}

/** Rows of what lies below a field: entries of a list, values of a mapping, fields of a mapping. */
function listInner(schema: SchemaDocument, field: string): Row[] {
  const items = schema.items as SchemaDocument | undefined;
  const values = schema.additionalProperties;
  return [
    ...listRows(schema, field),
    ...(items && typeof items === "object" ? listInner(items, `${field}[]`) : []),
    ...(values !== null && typeof values === "object" && !("$ref" in values)
      ? listInner(values as SchemaDocument, `${field}.<name>`)
      : []),
    ...listBranches(schema).flatMap((branch) =>
      branch.items ? listInner(branch.items as SchemaDocument, `${field}[]`) : [],
    ),
  ];
}

/** One row for each field of any variant; what only some variants require is required for its kind. */
function mergeVariants(variants: readonly (readonly Row[])[]): Row[] {
  const merged = new Map<string, Row & { count: number }>();
  for (const row of variants.flat()) {
    const known = merged.get(row.field);
    if (known === undefined)
      merged.set(row.field, { ...row, types: [...row.types], descriptions: [...row.descriptions], count: 1 });
    else {
      known.count += 1;
      known.types = [...new Set([...known.types, ...row.types])];
      known.descriptions = [...new Set([...known.descriptions, ...row.descriptions])];
      if (known.required !== row.required) known.required = "kind";
    }
  }
  const isShared = (row: { count: number }) => row.count === variants.length;
  return [...merged.values()].map((row) => ({
    ...row,
    required: row.required === "yes" && !isShared(row) ? "kind" : row.required,
  }));
}

function listBranches(schema: SchemaDocument): SchemaDocument[] {
  return [...((schema.anyOf ?? []) as SchemaDocument[]), ...((schema.oneOf ?? []) as SchemaDocument[])];
}

function toRow(field: string, schema: SchemaDocument, isRequired: boolean): Row {
  const fallback = "default" in schema ? `\`${JSON.stringify(schema.default)}\`` : "";
  return {
    field,
    types: [typeName(schema)],
    required: isRequired ? "yes" : "no",
    fallback,
    descriptions: schema.description === undefined ? [] : [cell(String(schema.description))],
  };
}

function typeName(schema: SchemaDocument): string {
  const values = (schema.enum ?? ("const" in schema ? [schema.const] : undefined)) as unknown[] | undefined;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(", ");
  const branches = listBranches(schema);
  if (branches.length > 0) return [...new Set(branches.map(typeName))].join(" or ");
  const names: Record<string, string> = {
    object: "mapping",
    array: "list",
    integer: "whole number",
    string: "text",
    boolean: "true or false",
    null: "nothing",
  };
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

import { resolveSchema, type Schema, type Schemas } from "./api-document";
import type { ListedOperation } from "./list-operations";

const DEPTH_MAX = 4;

/** A command that works once the words in capitals are replaced. */
export function curlExample({ method, path, operation }: ListedOperation, schemas: Schemas, origin: string): string {
  const parameters = operation.parameters ?? [];
  const filled = path.replace(/\{([^}]+)\}/g, (_all, name: string) => name.toUpperCase());
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const address =
    origin +
    filled +
    (query.length > 0 ? `?${query.map(({ name }) => `${name}=${name.toUpperCase()}`).join("&")}` : "");
  const lines = [`curl${method === "GET" ? "" : ` -X ${method}`} '${address}'`];
  if (operation["x-permission"] !== "public") lines.push(`-H 'Authorization: Bearer TOKEN'`);
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d '${JSON.stringify(exampleOf(body, schemas)).replaceAll("'", `'\\''`)}'`,
    );
  return lines.join(" \\\n  ");
}

/** The smallest value of a schema's form: required fields only. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const resolved = resolveSchema(schema, schemas);
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum) return resolved.enum[0];
  const variant = (resolved.anyOf ?? resolved.oneOf)?.[0];
  if (variant && depth < DEPTH_MAX) return exampleOf(variant, schemas, depth + 1);
  const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type;
  if (type === "string") return resolved.format === "date-time" ? "2026-01-31T09:30:00Z" : "…";
  if (type === "number" || type === "integer") return resolved.minimum ?? 0;
  if (type === "boolean") return false;
  if (type === "null") return null;
  if (type === "array")
    return resolved.minItems && resolved.items && depth < DEPTH_MAX
      ? [exampleOf(resolved.items, schemas, depth + 1)]
      : [];
  const names = depth < DEPTH_MAX ? (resolved.required ?? []) : [];
  return Object.fromEntries(
    names.map((name) => [name, exampleOf(resolved.properties?.[name] ?? {}, schemas, depth + 1)]),
  );
}

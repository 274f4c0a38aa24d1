/** Splits a value with templates into flows: one for each reference, one for each literal. */
import type { JsonSchema } from "@/lib/config/field-schemas";
import { schemaAt } from "@/lib/config/param-schemas";
import type { ValuePath } from "@/lib/config/problem";
import { parseTemplates, type TemplateRoot } from "@/lib/config/template";

export interface Flow {
  from: { root: TemplateRoot; path: readonly string[] } | "literal";
  /** Where the value is written, from the start of the mapping that was given. */
  at: ValuePath;
  /** The param that receives it, and the field inside of it: ["token"] or ["credentials", "password"]. */
  to: readonly string[];
}

/**
 * A literal around a reference ("Bearer {{ env.TOKEN }}") or beside it inside one secret param is not a flow of its
 * own: the value as a whole is secret. A literal that fills a param, or a field that is itself marked, is one.
 */
export function listFlows(given: Readonly<Record<string, unknown>>, schema: JsonSchema | undefined): Flow[] {
  const flows: Flow[] = [];
  for (const { root, path, at } of parseTemplates(given).references)
    flows.push({ from: { root, path }, at, to: at.map(String) });
  const visit = (value: unknown, at: ValuePath): void => {
    const isMapping = value !== null && typeof value === "object" && !Array.isArray(value);
    const isMarked = schemaAt(schema, at.map(String))?.secret === true;
    if (isMapping && !isMarked) {
      for (const [name, child] of Object.entries(value)) visit(child, [...at, name]);
    } else if (parseTemplates(value).references.length === 0) flows.push({ from: "literal", at, to: at.map(String) });
  };
  for (const [name, value] of Object.entries(given)) visit(value, [name]);
  return flows;
}

/** True when the paths are equal or one lies inside the other. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.slice(0, b.length).every((part, index) => part === b[index]);
}

/** True when the value at a path, or something it is part of, is marked secret. */
export function isMarkedAt(schema: JsonSchema | undefined, path: readonly string[]): boolean {
  return path.some((_, index) => schemaAt(schema, path.slice(0, index + 1))?.secret === true);
}

/** `{{ }}` is allowed only where it is filled in, and may only name what is known there. */
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import type { ValuePath } from "@/lib/config/problem";
import { parseTemplates, type TemplateRoot } from "@/lib/config/template";

/** What may be named at a place; "skip" for texts in which braces mean nothing, such as a JSON Schema. */
export type PlaceRule = readonly TemplateRoot[] | "skip" | { roots: readonly TemplateRoot[]; hint: string };

/** Checks every string of a file against the rule of its place. */
export function checkTemplates(
  draft: Draft,
  { source }: Loaded<unknown>,
  ruleAt: (path: ValuePath) => PlaceRule,
): void {
  const visit = (value: unknown, path: ValuePath): void => {
    if (typeof value === "string") {
      if (value.includes("{{")) checkText(value, path);
    } else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
    else if (value !== null && typeof value === "object") {
      for (const [key, item] of Object.entries(value)) {
        if (key.includes("{{") && ruleAt(path) !== "skip")
          report(draft, source, [...path, key], "templates in field names are not filled in", {
            hint: "use them in values only",
            part: "key",
          });
        visit(item, [...path, key]);
      }
    }
  };
  const checkText = (text: string, path: ValuePath) => {
    const rule = path.at(-1) === "description" ? "skip" : ruleAt(path);
    if (rule === "skip") return;
    const { roots, hint } = "roots" in rule ? rule : { roots: rule, hint: undefined };
    for (const problem of parseTemplates(text, roots).problems) report(draft, source, path, problem.message, { hint });
  };
  visit(source.value, []);
}

const LEGACY = /(?:^|[\s"'(])(env|param):([A-Za-z_][A-Za-z0-9_]*)/;

export function isLegacyReference(text: string): boolean {
  return LEGACY.test(text);
}

/** The older `env:NAME` form would otherwise be sent to the server as it is. */
export function checkLegacyReferences(
  draft: Draft,
  { source }: Loaded<unknown>,
  explain: (name: string, path: ValuePath) => string,
): void {
  const visit = (value: unknown, path: ValuePath): void => {
    if (typeof value === "string") {
      const match = LEGACY.exec(value);
      // Prose may contain "env:something"; a value that is nothing else, or names a variable in capitals, is a
      // reference.
      const isReference =
        match !== null &&
        (match[0].length === value.trim().length || (/^[A-Z]/.test(match[2] ?? "") && !isProse(path)));
      if (isReference)
        report(draft, source, path, `"${match[1]}:${match[2]}" is no longer supported`, {
          hint: explain(match[2] ?? "", path),
        });
    } else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
    else if (value !== null && typeof value === "object")
      for (const [key, item] of Object.entries(value)) visit(item, [...path, key]);
  };
  visit(source.value, []);
}

function isProse(path: ValuePath): boolean {
  return (
    path[0] === "prompt" ||
    path[0] === "instructions" ||
    path.includes("description") ||
    path.includes("reason") ||
    path.includes("summary")
  );
}

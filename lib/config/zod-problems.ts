/** Turns zod issues into problems with a place and with what would be correct. */
import type { z } from "zod";
import { findNearest, formatPath, suggest, type Problem, type ValuePath } from "./problem";
import type { YamlSource } from "./yaml-source";
import { descriptionAt, knownFieldsAt, rivalsAt } from "./zod-walk";

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** A wrong file repeats the same mistake many times; the first hundred are enough to see the pattern. */
const PROBLEMS_MAX = 100;

export function listZodProblems(source: YamlSource, schema: Schema, error: z.ZodError): Problem[] {
  const issues = error.issues.flatMap((issue) => flattenUnion(issue, [], source));
  const misspelt = new Set(
    issues.filter(({ issue }) => issue.code === "unrecognized_keys").map(({ path }) => formatPath(path)),
  );
  // Which branch of a union was meant is not known while its field is misspelt, so the other needs of that branch are
  // not reported.
  const isGuess = ({ issue, path, isFromUnion }: PlacedIssue) =>
    isFromUnion &&
    issue.code === "invalid_type" &&
    path.length > 0 &&
    misspelt.has(formatPath(path.slice(0, -1))) &&
    valueAt(source.value, path) === undefined;
  const problems = issues
    .filter((placed) => !isGuess(placed))
    .slice(0, PROBLEMS_MAX)
    .flatMap(({ issue, path }) => explain(source, schema, issue, path));
  // A misspelt field is also a missing one; one report is enough.
  const meant = new Set(
    problems.flatMap(({ path, hint }) => keyOf(path, /^did you mean (".*")\?$/.exec(hint ?? "")?.[1])),
  );
  return problems.filter(
    ({ path, message }) =>
      !keyOf(path, /^the field (".*") is missing$/.exec(message)?.[1]).some((key) => meant.has(key)),
  );
}

function keyOf(path: string, field: string | undefined): string[] {
  return field === undefined ? [] : [`${path}#${field}`];
}

export interface PlacedIssue {
  issue: Issue;
  path: ValuePath;
  isFromUnion: boolean;
}

/**
 * For a union only the issues of the branch that was meant are useful: the one that most of the given fields belong to.
 */
export function flattenUnion(
  issue: Issue,
  base: ValuePath,
  source: Pick<YamlSource, "value">,
  isFromUnion = false,
): PlacedIssue[] {
  const path = [...base, ...(issue.path as (string | number)[])];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ issue, path, isFromUnion }];
  const value = valueAt(source.value, path);
  const branches = issue.errors.filter(
    (branch) =>
      !branch.some(
        (inner) =>
          inner.path.length === 0 && inner.code === "invalid_type" && isOfType(value, inner.expected) === false,
      ),
  );
  const candidates = branches.length > 0 ? branches : issue.errors;
  if (branches.length === 0) {
    const expected = issue.errors.flatMap((branch) =>
      branch.filter((inner) => inner.path.length === 0 && inner.code === "invalid_type"),
    );
    const names = [...new Set(expected.map((inner) => article((inner as { expected: string }).expected)))];
    if (names.length > 1)
      return [
        {
          issue: {
            ...issue,
            code: "custom",
            message: `expected ${names.join(" or ")}, got ${describe(value)}`,
          } as Issue,
          path,
          isFromUnion,
        },
      ];
  }
  const best = candidates.toSorted((a, b) => weight(a) - weight(b))[0] ?? [];
  return best.flatMap((inner) => flattenUnion(inner, path, source, true));
}

function weight(issues: readonly Issue[]): number {
  let sum = 0;
  for (const issue of issues)
    sum += issue.code === "unrecognized_keys" ? issue.keys.length * 2 : issue.path.length <= 1 ? 2 : 1;
  return sum;
}

function isOfType(value: unknown, expected: string): boolean {
  return (
    describeType(value) === expected ||
    (expected === "record" && describeType(value) === "object") ||
    (expected === "int" && typeof value === "number")
  );
}

function explain(source: YamlSource, schema: Schema, issue: Issue, path: ValuePath): Problem[] {
  if (issue.code === "unrecognized_keys") {
    const given = valueAt(source.value, path);
    const known = knownFieldsAt(schema, path, given);
    return issue.keys.slice(0, PROBLEMS_MAX).map((key) => {
      const rivals = rivalsAt(schema, path, given, key).filter((name) => known.includes(name));
      if (known.includes(key) && rivals.length > 0) {
        return place(
          source,
          path,
          [...path, key],
          "key",
          `${JSON.stringify(key)} cannot stand beside ${rivals.map((name) => JSON.stringify(name)).join(", ")}`,
          "keep one of them here",
        );
      }
      const free = known.filter((name) => !(given !== null && typeof given === "object" && Object.hasOwn(given, name)));
      const hint = findNearest(key, free) === undefined ? suggest(key, known, "known here") : suggest(key, free);
      return place(source, path, [...path, key], "key", `unknown field ${JSON.stringify(key)}`, hint);
    });
  }
  const value = valueAt(source.value, path);
  const isMissing = value === undefined && path.length > 0;
  if (isMissing) {
    const parent = path.slice(0, -1);
    const hint =
      issue.code === "invalid_value"
        ? `allowed: ${issue.values.map((allowed) => JSON.stringify(allowed)).join(", ")}`
        : missingHint(issue, schema, path);
    return [place(source, parent, parent, "key", `the field ${JSON.stringify(String(path.at(-1)))} is missing`, hint)];
  }
  const { message, hint } = explainValue(issue, value);
  return [place(source, path, path, "value", message, hint)];
}

function missingHint(issue: Issue, schema: Schema, path: ValuePath): string {
  const description = descriptionAt(schema, path);
  const type = issue.code === "invalid_type" ? ` (${article(issue.expected)})` : "";
  return `add \`${String(path.at(-1))}:\`${type}${description === undefined ? "" : `: ${description}`}`;
}

function explainValue(issue: Issue, value: unknown): { message: string; hint?: string | undefined } {
  // The schema's own message is more specific than one made from the issue code.
  if ((issue.code === "invalid_type" || issue.code === "invalid_value") && !issue.message.startsWith("Invalid "))
    return { message: issue.message };
  switch (issue.code) {
    case "invalid_type":
      return {
        message: `expected ${article(issue.expected)}, got ${describe(value)}`,
        hint: typeHint(issue.expected, value),
      };
    case "invalid_value":
      return { message: `${describe(value)} is not allowed`, hint: suggestValue(value, issue.values.map(String)) };
    case "invalid_union": {
      const options = (issue as { options?: unknown[]; discriminator?: string }).options?.map(String);
      return {
        message: options ? `${describe(value)} is not allowed` : issue.message,
        hint: options && suggestValue(value, options),
      };
    }
    case "too_small":
    case "too_big":
      return { message: explainBounds(issue, value) };
    case "invalid_key":
      return { message: issue.issues.map((inner) => inner.message).join("; ") };
    default:
      return { message: issue.message };
  }
}

function suggestValue(value: unknown, allowed: readonly string[]): string {
  const nearest = typeof value === "string" ? findNearest(value, allowed) : undefined;
  const list = `allowed: ${allowed.map((option) => JSON.stringify(option)).join(", ")}`;
  return nearest === undefined ? list : `did you mean ${JSON.stringify(nearest)}? ${list}`;
}

function explainBounds(issue: Issue & { code: "too_small" | "too_big" }, value: unknown): string {
  if (!/^(Too|Invalid)/.test(issue.message)) return issue.message;
  const limit = issue.code === "too_small" ? issue.minimum : issue.maximum;
  const side = issue.code === "too_small" ? "at least" : "at most";
  const word = issue.inclusive === false ? (issue.code === "too_small" ? "more than" : "less than") : side;
  if (issue.origin === "string")
    return issue.code === "too_small" ? "must not be empty" : `expected ${word} ${limit} characters`;
  if (issue.origin === "array") return `expected ${word} ${limit} entries`;
  return `${describe(value)} is out of range; expected ${word} ${limit}`;
}

function typeHint(expected: string, value: unknown): string | undefined {
  if (expected === "string" && (typeof value === "number" || typeof value === "boolean")) return "put it in quotes";
  if (expected === "array" && value !== null && typeof value !== "object") return `write a list: [${String(value)}]`;
  if (expected === "boolean" && typeof value === "string") return "write true or false, without quotes";
  return undefined;
}

function article(type: string): string {
  const words: Record<string, string> = {
    string: "text",
    object: "a mapping",
    record: "a mapping",
    array: "a list",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    null: "nothing",
  };
  return words[type] ?? type;
}

export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function place(
  source: YamlSource,
  path: ValuePath,
  at: ValuePath,
  part: "value" | "key",
  message: string,
  hint?: string,
): Problem {
  const { line, column } = source.locate(at, part);
  return { file: source.file, line, column, path: formatPath(path), message, hint, severity: "error" };
}

export function valueAt(root: unknown, path: ValuePath): unknown {
  let value = root;
  for (const step of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

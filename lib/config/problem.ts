/** What is wrong in a project's files, in the words of the person who will repair it. */
import { closest, distance } from "fastest-levenshtein";

/** Where a value stands inside its file: field names and list positions. */
export type ValuePath = readonly (string | number)[];

export interface Problem {
  /** Relative to the project folder, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** The field, as it is written in messages: `servers[0].access.allowlist[1]`. Empty for the file itself. */
  path: string;
  message: string;
  /** What would be right. */
  hint?: string | undefined;
  severity: "error" | "warning";
  /** For a broken secret chain: the whole way of the value, with the broken links marked. */
  chain?: string | undefined;
}

/** One line per problem, then the chain and the hint if they need their own lines. `prefix` is the project folder as the reader knows it. */
export function formatProblem(problem: Problem, prefix = ""): string {
  const file = prefix === "" ? problem.file : `${prefix.replace(/\/+$/, "")}/${problem.file}`;
  if (problem.file === "") return problem.hint === undefined ? problem.message : `${problem.message}; ${problem.hint}`;
  const place = `${file}:${problem.line}:${problem.column}`;
  const field = problem.path === "" ? "" : ` ${problem.path}`;
  const severity = problem.severity === "warning" ? "warning: " : "";
  if (problem.chain !== undefined) {
    const lines = [`${file}:${problem.line}  ${severity}${problem.message}`, `  ${problem.chain}`];
    return [...lines, ...(problem.hint ?? "").split("\n").filter(Boolean).map((line) => `  ${line}`)].join("\n");
  }
  const hint = problem.hint === undefined ? "" : `; ${problem.hint}`;
  return `${place}${field}: ${severity}${problem.message}${hint}`;
}

export function formatPath(path: ValuePath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** By file, then by place, so that a person can repair a file from top to bottom. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return problems.toSorted(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.message, b.message),
  );
}

/** The known word that was probably meant, or undefined when none is near enough to be more help than noise. */
export function findNearest(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || given.length > 200) return undefined;
  const normalized = (word: string) => word.toLowerCase().replaceAll(/[-_\s]/g, "");
  const letters = (word: string) => [...normalized(word)].toSorted().join("");
  const same = known.find((word) => normalized(word) === normalized(given)) ?? known.find((word) => letters(word) === letters(given));
  if (same !== undefined) return same;
  const nearest = closest(given, known as string[]);
  const length = Math.max(given.length, nearest.length);
  // Two letters that changed places count as two edits, so words of four letters and more may differ by two.
  const editsMax = length <= 3 ? 1 : Math.max(2, Math.floor(length / 3));
  return distance(given, nearest) <= editsMax ? nearest : undefined;
}

/** "did you mean …?" when something is near, otherwise all that is allowed, otherwise nothing. */
export function suggest(given: string, known: readonly string[], what = "known"): string | undefined {
  const nearest = findNearest(given, known);
  if (nearest !== undefined) return `did you mean ${JSON.stringify(nearest)}?`;
  if (known.length === 0) return undefined;
  const shown = known.slice(0, 12).map((word) => JSON.stringify(word)).join(", ");
  return `${what}: ${shown}${known.length > 12 ? `, and ${known.length - 12} more` : ""}`;
}

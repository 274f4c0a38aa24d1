/** What is wrong in a project's files, described for the person who will fix it. */

/** Path of a value inside its file: field names and list positions. */
export type ValuePath = readonly (string | number)[];

export interface Problem {
  /** Relative to the project folder, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** The field, as it is written in messages: `servers[0].access.allowlist[1]`. Empty for the file itself. */
  path: string;
  message: string;
  /** What would be correct. */
  hint?: string | undefined;
  severity: "error" | "warning";
  /** For a broken secret chain: the whole path of the value, with the broken links marked. */
  chain?: string | undefined;
}

/**
 * One line per problem, then the chain and the hint if they need their own lines. `prefix` is the project folder as the
 * reader names it.
 */
export function formatProblem(problem: Problem, prefix = ""): string {
  const file = prefix === "" ? problem.file : `${prefix.replace(/\/+$/, "")}/${problem.file}`;
  if (problem.file === "") return problem.hint === undefined ? problem.message : `${problem.message}; ${problem.hint}`;
  const place = `${file}:${problem.line}:${problem.column}`;
  const field = problem.path === "" ? "" : ` ${problem.path}`;
  const severity = problem.severity === "warning" ? "warning: " : "";
  if (problem.chain !== undefined) {
    const lines = [`${file}:${problem.line}  ${severity}${problem.message}`, `  ${problem.chain}`];
    return [
      ...lines,
      ...(problem.hint ?? "")
        .split("\n")
        .filter(Boolean)
        .map((line) => `  ${line}`),
    ].join("\n");
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

/** By file, then by place, so that a person can fix a file from top to bottom. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return problems.toSorted(
    (a, b) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.message, b.message),
  );
}

/** The known word that was probably meant, or undefined when none is similar enough to help. */
export function findNearest(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || given.length > 200) return undefined;
  const normalized = (word: string) => word.toLowerCase().replaceAll(/[-_\s]/g, "");
  const same = known.find((word) => normalized(word) === normalized(given));
  if (same !== undefined) return same;
  const ranked = known.map((word) => ({ word, edits: countEdits(given, word) })).toSorted((a, b) => a.edits - b.edits);
  const near = ranked.find(({ word, edits }) => edits <= editsMax(Math.max(given.length, word.length)));
  return near?.word ?? known.find((word) => isBeginning(given, word) || isBeginning(word, given));
}

/** A fixed number of edits would make any two short words similar: `nope` is not `pipe`. */
function editsMax(length: number): number {
  if (length <= 2) return 0;
  return length <= 7 ? 1 : Math.min(3, Math.floor(length / 4));
}

/** `DESK_HOOK` is the beginning of `DESK_HOOK_URL`, which an edit distance does not show. */
const isBeginning = (short: string, long: string): boolean =>
  short.length >= 4 && short.length * 2 >= long.length && long.toLowerCase().startsWith(short.toLowerCase());

/** Letters to add, remove or replace, or two neighbours to swap. */
function countEdits(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 3) return Number.POSITIVE_INFINITY;
  let [before, row] = [[] as number[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next.push(
        Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, isSwapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY),
      );
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}

/** "did you mean …?" when something is similar, otherwise all that is allowed, otherwise nothing. */
export function suggest(given: string, known: readonly string[], what = "known"): string | undefined {
  const nearest = findNearest(given, known);
  if (nearest !== undefined) return `did you mean ${JSON.stringify(nearest)}?`;
  if (known.length === 0) return undefined;
  const shown = known
    .slice(0, 12)
    .map((word) => JSON.stringify(word))
    .join(", ");
  return `${what}: ${shown}${known.length > 12 ? `, and ${known.length - 12} more` : ""}`;
}

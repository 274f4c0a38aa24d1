import { diffArrays, diffWordsWithSpace } from "diff";

export interface DiffRow {
  kind: "same" | "changed" | "removed" | "added";
  before: string | null;
  after: string | null;
}

/** A line in three: what both begin with, what differs, what both end with. */
export interface LineParts {
  start: string;
  differs: string;
  end: string;
}

/**
 * Texts that differ in more lines are compared line by line at the same place only; finding moved lines would take too
 * long.
 */
const EDITS_MAX = 2_000;

/**
 * Two texts side by side, line by line: unchanged, removed, added. A removed line next to an added one is a changed
 * line.
 */
export function diffLines(before: string, after: string): DiffRow[] {
  const [left, right] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(left, right, { maxEditLength: EDITS_MAX });
  if (!changes) return pairUp(left, right);
  const rows: DiffRow[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  for (const change of [...changes, { added: false, removed: false, value: [] }]) {
    if (change.removed) removed.push(...change.value);
    else if (change.added) added.push(...change.value);
    else {
      rows.push(...pairUp(removed, added), ...change.value.map((line) => toRow(line, line)));
      [removed, added] = [[], []];
    }
  }
  return rows;
}

function pairUp(left: readonly string[], right: readonly string[]): DiffRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) =>
    toRow(left[index] ?? null, right[index] ?? null),
  );
}

function toRow(before: string | null, after: string | null): DiffRow {
  if (before === after) return { kind: "same", before, after };
  return { kind: before === null ? "added" : after === null ? "removed" : "changed", before, after };
}

/**
 * What differs within a line that changed, so that one word in a long description is found. Whole words, never halves
 * of one.
 */
export function splitLines(before: string, after: string): { before: LineParts; after: LineParts } {
  const parts = diffWordsWithSpace(before, after);
  const isSame = ({ added, removed }: (typeof parts)[number]) => !added && !removed;
  const first = parts.findIndex((part) => !isSame(part));
  const last = parts.findLastIndex((part) => !isSame(part));
  const join = (list: typeof parts) => list.map(({ value }) => value).join("");
  const split = (side: "added" | "removed"): LineParts => ({
    start: join(parts.slice(0, first)),
    differs: join(parts.slice(first, last + 1).filter((part) => part[side] || isSame(part))),
    end: join(parts.slice(last + 1)),
  });
  return { before: split("removed"), after: split("added") };
}

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

/** Larger texts are compared line by line at the same place only; finding moved lines would take too long. */
const CELLS_MAX = 4_000_000;

/** Two texts side by side, line by line: what stayed, what went, what came. A line that went where another came is one that changed. */
export function diffLines(before: string, after: string): DiffRow[] {
  const [left, right] = [before.split("\n"), after.split("\n")];
  const rows = left.length * right.length > CELLS_MAX ? pairUp(left, right) : align(left, right);
  return joinChanges(rows);
}

function pairUp(left: readonly string[], right: readonly string[]): DiffRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => toRow(left[index] ?? null, right[index] ?? null));
}

function toRow(before: string | null, after: string | null): DiffRow {
  if (before === after) return { kind: "same", before, after };
  return { kind: before === null ? "added" : after === null ? "removed" : "changed", before, after };
}

/** The longest common subsequence, from the back, so that reading it forwards gives the rows in order. */
function align(left: readonly string[], right: readonly string[]): DiffRow[] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i * width + j] = left[i] === right[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const isSame = i < left.length && j < right.length && left[i] === right[j];
    const goesLeft = j >= right.length || (i < left.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0));
    if (isSame) rows.push(toRow(left[i++] ?? null, right[j++] ?? null));
    else if (goesLeft) rows.push(toRow(left[i++] ?? null, null));
    else rows.push(toRow(null, right[j++] ?? null));
  }
  return rows;
}

/** Runs of removed and added lines stand beside each other. */
function joinChanges(rows: readonly DiffRow[]): DiffRow[] {
  const joined: DiffRow[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  const flush = () => {
    joined.push(...Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => toRow(removed[index] ?? null, added[index] ?? null)));
    [removed, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === "same") {
      flush();
      joined.push(row);
      continue;
    }
    if (row.before !== null) removed.push(row.before);
    if (row.after !== null) added.push(row.after);
  }
  flush();
  return joined;
}

/** What differs within a line that changed, so that one word in a long description is found. Whole words, never halves of one. */
export function splitLines(before: string, after: string): { before: LineParts; after: LineParts } {
  const [left, right] = [[...before], [...after]];
  const room = Math.min(left.length, right.length);
  let start = 0;
  while (start < room && left[start] === right[start]) start++;
  let end = 0;
  while (end < room - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  // "false" and "true" end alike, and nobody reads them as "fals" and "tru".
  while (start > 0 && isWord(left[start - 1]) && (isWord(left[start]) || isWord(right[start]))) start--;
  while (end > 0 && isWord(left.at(-end)) && (isWord(left.at(-1 - end)) || isWord(right.at(-1 - end)))) end--;
  const split = (characters: readonly string[]): LineParts => ({
    start: characters.slice(0, start).join(""),
    differs: characters.slice(start, characters.length - end).join(""),
    end: characters.slice(characters.length - end).join(""),
  });
  return { before: split(left), after: split(right) };
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);

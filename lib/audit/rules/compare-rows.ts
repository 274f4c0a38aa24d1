/** Compares rows that are copies with what the sealed journal says, and names every difference. Pure. */
import canonicalize from "canonicalize";
import { digestOutput } from "@/lib/text/digest";

export interface RowProblem {
  /** The row's id; `run` for the run's own. */
  row: string;
  problem: string;
}

type Row = Readonly<Record<string, unknown>>;

export interface Kind {
  columns: readonly string[];
  /** Message for a row that the journal does not have. */
  untold: string;
  /** Message for a row that the journal has and the database lacks. */
  gone: string;
}

export function compareRows(
  kind: Kind,
  sealed: ReadonlyMap<string, object>,
  stored: readonly { id: string }[],
): RowProblem[] {
  const known = new Set(stored.map(({ id }) => id));
  return [
    ...stored.flatMap((row) => {
      const right = sealed.get(row.id);
      return right ? found(row.id, compareColumns(row, right, kind.columns)) : found(row.id, [kind.untold]);
    }),
    ...[...sealed.keys()].filter((id) => !known.has(id)).flatMap((id) => found(id, [kind.gone])),
  ];
}

export const found = (row: string, problems: readonly string[]): RowProblem[] =>
  problems.map((problem) => ({ row, problem }));

/** One sentence for each column that differs. */
export function compareColumns(stored: object, sealed: object, columns: readonly string[]): string[] {
  const [given, right] = [stored as Row, sealed as Row];
  const changed = columns.filter((name) => !isSame(given[name], right[name]));
  return changed.map((name) => describeDifference(name, given[name], right[name]));
}

/** Money is stored to a millionth. */
function isSame(given: unknown, sealed: unknown): boolean {
  const [left, right] = [plain(given), plain(sealed)];
  if (typeof left === "number" && typeof right === "number") return Math.abs(left - right) < 2e-6;
  return typeof left === "object" ? canonicalize(left) === canonicalize(right) : left === right;
}

/** As in JSON: times as text, amounts as numbers. */
function plain(value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return value;
  return "toNumber" in value && typeof value.toNumber === "function" ? (value.toNumber() as number) : value;
}

function describeDifference(name: string, given: unknown, sealed: unknown): string {
  const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const show = name === "approvers" ? showApprovers : showValue;
  const difference = `its ${column} is ${show(given)} on the row and ${show(sealed)} on the sealed trail`;
  return name === "argumentsCanonical" || name === "digest"
    ? `no event tells of these arguments: ${difference}`
    : difference;
}

/** Long or possibly private values are shown by their digest. */
function showValue(value: unknown): string {
  const shown = plain(value);
  if (shown === null) return "not set";
  return typeof shown === "object" ? digestOutput(shown) : String(shown).slice(0, 200);
}

const showApprovers = (value: unknown): string => (value as string[]).toSorted().join(", ") || "any reviewer";

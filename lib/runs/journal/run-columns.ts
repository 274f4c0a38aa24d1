/**
 * The columns of a run's row: copies of the fold, for lists, guards and the queue. Long values are checked only by
 * `kimitsu audit verify`. Pure.
 */
import type { RunRow } from "@/lib/runs/snapshot";

/** What never changes after a run's first row. */
const FIXED = [
  "workflow",
  "version",
  "configHash",
  "startedByKind",
  "startedById",
  "startedByName",
  "startedByUserId",
  "retryOfRunId",
  "sessionId",
  "costBudgetUsd",
] as const;

const COMPARED = ["status", ...FIXED, "costUsd", "activeMs", "tokensIn", "tokensOut", "llmCalls", "toolCalls"] as const;

type Actor = "startedByKind" | "startedById" | "startedByName";

export type RunColumns = Pick<RunRow, Exclude<(typeof COMPARED)[number], Actor>> & Record<Actor, string>;

/** The first column that differs from the journal; null when all agree. */
export const findChangedColumn = (run: RunRow, row: RunColumns): string | null => compare(run, row, COMPARED);

/** For an active worker, whose memory is ahead of the row: its run is `running`, and fixed columns are unchanged. */
export const findChangedUnderLease = (run: RunRow, row: RunColumns): string | null =>
  compare({ ...run, status: "running" }, row, ["status", ...FIXED]);

function compare(run: RunRow, row: RunColumns, columns: readonly (keyof RunColumns)[]): string | null {
  const { kind: startedByKind, id: startedById, name: startedByName } = run.startedBy;
  const sealed: RunColumns = { ...run, startedByKind, startedById, startedByName };
  const name = columns.find((column) => !isSame(sealed[column], row[column]));
  if (!name) return null;
  return `its ${toSnake(name)} is ${show(row[name])} on the row and ${show(sealed[name])} on the sealed trail`;
}

/** Money is stored to a millionth. */
const isSame = (left: unknown, right: unknown): boolean =>
  typeof left === "number" && typeof right === "number" ? Math.abs(left - right) < 2e-6 : left === right;

const toSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const show = (value: unknown): string => (value === null || value === undefined ? "not set" : String(value));

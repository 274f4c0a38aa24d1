/**
 * When a row carries a snapshot. Each row after one names it at the beginning of its data, so that the last row says
 * where resuming starts. A snapshot is written when the rows since the last one are together at least twice as long as
 * that one was, so that all snapshots of a run are at most one and a half times as long as its rows. Pure.
 */
import type { Entry } from "@/lib/runs/journal/entry";

/** Fewer rows are folded faster than a snapshot is written. */
export const ROWS_MIN = 64;
/** Body and data of the rows since, compared with the last snapshot. More means fewer snapshots, and more to fold. */
const LENGTH_SHARE = 2;

/** How far back the last snapshot is. */
export interface Pace {
  /** The row that carries it; 0 when there is none. */
  from: number;
  /** Length of that row. */
  size: number;
  /** Total length of the rows since. */
  length: number;
}

export const NO_PACE: Pace = { from: 0, size: 0, length: 0 };

export const isSnapshotDue = ({ from, size, length }: Pace, seq: number): boolean =>
  seq - from >= ROWS_MIN && length >= LENGTH_SHARE * size;

/** `data` is stringified with this at its beginning, where the statement that resumes a run looks. */
export const namesSnapshot = (from: number): { from?: number } => (from === 0 ? {} : { from });

export function paceAfter(pace: Pace, { seq, body, data }: Pick<Entry, "seq" | "body" | "data">): Pace {
  const length = data?.length ?? 0;
  if (snapshotNamedIn(data) === seq) return { from: seq, size: length, length: 0 };
  return { ...pace, length: pace.length + body.length + length };
}

/** The row whose snapshot the data names; 0 when there is none before it. */
export const snapshotNamedIn = (data: string | null): number =>
  Number(/^\{"from":(\d+)/.exec(data?.slice(0, 32) ?? "")?.[1] ?? 0);

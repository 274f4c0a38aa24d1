import type { InboxRow } from "@/lib/store/queries/list-inbox";

export interface QueueRows {
  rows: readonly InboxRow[];
  /** What the reader has set aside; it stands at the end. */
  sunk: readonly InboxRow[];
}

export interface ShownRow {
  row: InboxRow;
  /** It no longer waits, and stands only so that nothing takes its place. */
  isGone: boolean;
}

export interface ShownRows {
  rows: ShownRow[];
  sunk: ShownRow[];
  /** How many came and are not shown yet. */
  arrived: number;
}

/** What is shown to someone who points at a queue: each row stays where it is, with what is new about it, and what came waits. */
export function holdRows(held: QueueRows, fresh: QueueRows): ShownRows {
  const known = new Map([...fresh.rows, ...fresh.sunk].map((row) => [row.id, row]));
  const shown = new Set([...held.rows, ...held.sunk].map((row) => row.id));
  const show = (row: InboxRow): ShownRow => ({ row: known.get(row.id) ?? row, isGone: !known.has(row.id) });
  return { rows: held.rows.map(show), sunk: held.sunk.map(show), arrived: [...known.keys()].filter((id) => !shown.has(id)).length };
}

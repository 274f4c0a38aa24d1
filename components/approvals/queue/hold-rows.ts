import type { InboxRow } from "@/lib/approvals/queries/list-inbox";

export interface QueueRows {
  rows: readonly InboxRow[];
  /** What the reader has set aside; it comes last. */
  sunk: readonly InboxRow[];
  /** By the server's clock, when they were read. */
  now: string;
}

export interface ShownRow {
  row: InboxRow;
  /** It no longer waits, and is shown only so that nothing takes its place. */
  isGone: boolean;
}

export interface ShownRows {
  rows: ShownRow[];
  sunk: ShownRow[];
  /** How many were asked for since and are not shown yet. */
  arrived: number;
  /**
   * How many waited before and came back to this place in the queue, such as one that is no longer set aside; they are
   * not shown yet either.
   */
  returned: number;
}

/**
 * What is shown while a person points at a queue: each row stays where it is, with its changes, and new rows are held
 * back. What only moved up from the next page is not new: it is placed below the last row, where it takes nobody's
 * place.
 */
export function holdRows(held: QueueRows, fresh: QueueRows): ShownRows {
  const known = new Map([...fresh.rows, ...fresh.sunk].map((row) => [row.id, row]));
  const shown = new Set([...held.rows, ...held.sunk].map((row) => row.id));
  const show = (row: InboxRow): ShownRow => ({ row: known.get(row.id) ?? row, isGone: !known.has(row.id) });
  const isNew = (row: InboxRow): boolean => row.createdAt > held.now;
  const came = [...fresh.rows, ...fresh.sunk].filter((row) => !shown.has(row.id));
  // Under what was set aside there is no next page to move up from.
  const end = fresh.rows.findLastIndex((row) => shown.has(row.id)) + 1;
  const movedUp = held.sunk.length > 0 ? [] : fresh.rows.slice(end).filter((row) => !isNew(row));
  const sunkToo = held.sunk.length > 0 ? [] : fresh.sunk.filter((row) => !shown.has(row.id) && !isNew(row));
  const arrived = came.filter(isNew).length;
  return {
    rows: [...held.rows.map(show), ...movedUp.map(show)],
    sunk: [...held.sunk.map(show), ...sunkToo.map(show)],
    arrived,
    returned: came.length - arrived - movedUp.length - sunkToo.length,
  };
}

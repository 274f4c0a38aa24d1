/**
 * One page of a list and where the next begins. Lists page by key, never by offset: rows that arrive meanwhile shift
 * nothing.
 */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Ask for one row more than the page holds; if it came, there is a next page. */
export function toPage<Row, T>(
  rows: Row[],
  limit: number,
  { cursorOf, map }: { cursorOf: (row: Row) => string; map: (row: Row) => T },
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(map), nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

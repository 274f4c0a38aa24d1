import type { ListedRun } from "./run-table";

export interface ListedPage {
  items: readonly ListedRun[];
  nextCursor: string | null;
}

/** A session whose newest call changed is at its new place in the page just read, and no longer at its old one. */
function dropMoved(items: readonly ListedRun[]): ListedRun[] {
  const seen = new Set<string>();
  return items.filter(({ client }) => {
    if (!client?.folded || client.sessionId === null) return true;
    if (seen.has(client.sessionId)) return false;
    seen.add(client.sessionId);
    return true;
  });
}

/**
 * Merges a page that was just read into the existing rows. Its rows take the place of everything between `after`, where
 * it begins, and where it ends, so that rows which no longer match are removed. When it begins at the top and does not
 * reach the existing rows, it replaces them: what is between is not known, and a list with a gap would be wrong.
 */
export function joinPages(list: ListedPage, after: string | null, page: ListedPage): ListedPage {
  const above = after === null ? [] : list.items.filter(({ id }) => id >= after);
  const end = page.items.at(-1)?.id;
  if (page.nextCursor === null || end === undefined)
    return { items: dropMoved([...above, ...page.items]), nextCursor: page.nextCursor };
  const reaches = list.items.some(({ id }) => id <= (after ?? "~") && id >= end);
  const below = reaches ? list.items.filter(({ id }) => id < end) : [];
  return {
    items: dropMoved([...above, ...page.items, ...below]),
    nextCursor: below.length > 0 ? list.nextCursor : page.nextCursor,
  };
}

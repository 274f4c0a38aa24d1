import { IS_RECENT } from "@/lib/audit/queries/journal-events";
import type { Db } from "@/lib/database/client";
import { APPROVAL_WORDS } from "@/lib/runs/projections/write-search";

/**
 * Pending approvals that approval_search does not have yet, or has in an older version: the few of the last second.
 * They are read before it, and this result holds for the whole search.
 */
export interface InboxTail {
  ids: string[];
  /** Those that contain all of these words, which must be a subset of the searched words. */
  having(words: readonly string[]): string[];
}

export async function readInboxTail(db: Db, words: readonly string[]): Promise<InboxTail> {
  const rows = await db.$queryRaw<{ id: string; found: boolean[] }[]>`
    SELECT t.id, ARRAY(SELECT t.words @@ to_tsquery('simple', w.prefix) FROM unnest(${words.map(toPrefix)}::text[])
        WITH ORDINALITY AS w (prefix, place) ORDER BY w.place) AS found
    FROM (
      SELECT a.id, ${APPROVAL_WORDS} AS words FROM approvals a
      WHERE a.status = 'pending' AND a.run_id = ANY (ARRAY(SELECT j.run_id FROM journal j WHERE ${IS_RECENT}))
        AND (SELECT s.version = a.version FROM approval_search s WHERE s.approval_id = a.id) IS NOT TRUE
      OFFSET 0
    ) AS t`;
  return {
    ids: rows.map(({ id }) => id),
    having: (some) => rows.filter(({ found }) => some.every((word) => found[words.indexOf(word)])).map(({ id }) => id),
  };
}

/** The word, or one that begins with it. */
export const toPrefix = (word: string): string => `${word}:*`;

import { isRunSettled, RUN_TRANSITIONS, type RunStatus } from "@/lib/runs/rules/run-state";
import type { Db } from "@/lib/database/client";
import { type InboxTail, readInboxTail, toPrefix } from "@/lib/approvals/queries/inbox-tail";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { listNamedIds } from "@/lib/people/queries/list-named-ids";

/** More words are of no use in a search; each is also searched among people. */
const WORDS_MAX = 8;
/**
 * Up to this many rows, or runs of people, are found by their index and sorted. With more matches, reading in page
 * order soon fills a page.
 */
const FEW_MAX = 500;
/** Up to this many are still listed by id when reading in page order has not filled the page. */
const NAMED_MAX = 5000;

export interface WordsFilter {
  /** Which rows of `approvals a` match. */
  fits: Prisma.Sql;
  /** So many match that reading rows in page order finds a page sooner; no estimate predicts this well enough. */
  isCommon: boolean;
}

interface CommonWords extends WordsFilter {
  /** The same rows, by the index if it can list them: for a page that reading in page order has not filled. */
  fitsByIndex: () => Promise<Prisma.Sql>;
}

/**
 * Rows that contain all of these words, whole or as a prefix, in what the inbox shows of them; a word may also be part
 * of the name or e-mail address of the person who started the run. Null when the text has no word. The text is split
 * like the index, so that nothing in it is an operator.
 */
export async function findWords(db: Db, text: string): Promise<CommonWords | null> {
  const words = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter(Boolean),
    ),
  ].slice(0, WORDS_MAX);
  if (words.length === 0) return null;
  const search = { db, tail: await readInboxTail(db, words) };
  const starters = await Promise.all(words.map((word) => findStarted(db, word)));
  const alone = words.filter((_, place) => starters[place] === null);
  const parts = await Promise.all([
    ...(alone.length > 0 ? [findHaving(search, alone)] : []),
    ...words.flatMap((word, place) => (starters[place] ? [joinStarter(search, word, starters[place])] : [])),
  ]);
  const all = (fits: Prisma.Sql[]) => Prisma.join(fits, " AND ");
  return {
    fits: all(parts.map(({ fits }) => fits)),
    isCommon: parts.every(({ isCommon }) => isCommon),
    fitsByIndex: async () => all(await Promise.all(parts.map((part) => part.fitsByIndex()))),
  };
}

interface Search {
  db: Db;
  tail: InboxTail;
}

async function joinStarter(search: Search, word: string, starter: WordsFilter): Promise<CommonWords> {
  const having = await findHaving(search, [word]);
  const either = (fits: Prisma.Sql) => Prisma.sql`(${starter.fits} OR ${fits})`;
  return {
    fits: either(having.fits),
    isCommon: starter.isCommon || having.isCommon,
    fitsByIndex: async () => either(await having.fitsByIndex()),
  };
}

/** Rare words are found by the index; common words are checked row by row. */
async function findHaving({ db, tail }: Search, words: readonly string[]): Promise<CommonWords> {
  const query = Prisma.sql`to_tsquery('simple', ${words.map(toPrefix).join(" & ")})`;
  const having = tail.having(words);
  const nameUpTo = async (max: number): Promise<Prisma.Sql | null> => {
    const rows = await db.$queryRaw<
      { id: string }[]
    >`${PLAN_ANEW}SELECT s.approval_id AS id FROM approval_search s WHERE s.words @@ ${query} LIMIT ${max + 1}`;
    if (rows.length > max) return null;
    const known = rows.map(({ id }) => id).filter((id) => !tail.ids.includes(id));
    return Prisma.sql`a.id = ANY (${[...known, ...having]})`;
  };
  const few = await nameUpTo(FEW_MAX);
  if (few) return { fits: few, isCommon: false, fitsByIndex: async () => few };
  const isKnown = Prisma.sql`coalesce((SELECT s.words @@ ${query} FROM approval_search s WHERE s.approval_id = a.id), false)`;
  const fits = Prisma.sql`CASE WHEN a.id = ANY (${tail.ids}) THEN a.id = ANY (${having}) ELSE ${isKnown} END`;
  return { fits, isCommon: true, fitsByIndex: async () => (await nameUpTo(NAMED_MAX)) ?? fits };
}

/** A single letter or digit occurs in almost every name or address. */
const NAME_LENGTH_MIN = 2;

/** A run whose call waits has not ended. */
const UNSETTLED = (Object.keys(RUN_TRANSITIONS) as RunStatus[]).filter((status) => !isRunSettled(status));

/** Matches runs started by someone of this name, or by one of their tokens; null when there is no such active run. */
async function findStarted(db: Db, word: string): Promise<WordsFilter | null> {
  if (word.length < NAME_LENGTH_MIN) return null;
  const [, ...ids] = await listNamedIds(db, word);
  if (ids.length === 0) return null;
  // In index order: otherwise Postgres might scan the whole table for the first rows of a common name.
  const runs = await db.$queryRaw<
    { id: string }[]
  >`${PLAN_ANEW}SELECT id FROM runs WHERE started_by_id = ANY (${ids}) AND status = ANY (${UNSETTLED}::run_status[]) ORDER BY status, id DESC LIMIT ${FEW_MAX + 1}`;
  if (runs.length === 0) return null;
  if (runs.length <= FEW_MAX)
    return { fits: Prisma.sql`a.run_id = ANY (${runs.map(({ id }) => id)})`, isCommon: false };
  return {
    fits: Prisma.sql`coalesce((SELECT r.started_by_id = ANY (${ids}) FROM runs r WHERE r.id = a.run_id), false)`,
    isCommon: true,
  };
}

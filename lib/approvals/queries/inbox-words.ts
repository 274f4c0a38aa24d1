import { isRunSettled, RUN_TRANSITIONS, type RunStatus } from "@/lib/runs/rules/run-state";
import type { Db } from "@/lib/database/client";
import { type InboxTail, readInboxTail, toPrefix } from "@/lib/approvals/queries/inbox-tail";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { listNamedIds } from "@/lib/people/queries/list-named-ids";

/** Nobody narrows a queue by more; each is looked for among people too. */
const WORDS_MAX = 8;
/**
 * So many rows, or runs of people, are found by their index and sorted. Of more, the first in the order of a page soon
 * fill it.
 */
const FEW_MAX = 500;
/** So many are still named, where the first in the order of a page have not filled it. */
const NAMED_MAX = 5000;

export interface WordsFilter {
  /** Which rows of `approvals a` fit. */
  fits: Prisma.Sql;
  /**
   * So many do that a page is found sooner by reading rows in its order; which it is, no estimate tells well enough.
   */
  isCommon: boolean;
}

interface CommonWords extends WordsFilter {
  /** The same rows, by the index where it can name them: for a page that the first in its order have not filled. */
  fitsByIndex: () => Promise<Prisma.Sql>;
}

/**
 * Rows that have all of these words, each whole or as a beginning, in what the inbox shows of them; a word may also be
 * part of the name or e-mail address of whoever started the run. Null when the text holds no word. A text is taken
 * apart as the index is, so that nothing in it is an operator.
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

/** What few have is found by the index; what many have is looked up for each row on the way. */
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

/** A single letter or digit is in the name or address of almost everybody. */
const NAME_LENGTH_MIN = 2;

/** A run whose call waits has not ended. */
const UNSETTLED = (Object.keys(RUN_TRANSITIONS) as RunStatus[]).filter((status) => !isRunSettled(status));

/** That a run was started by someone of this name, or by a token of theirs; null when none was that goes on. */
async function findStarted(db: Db, word: string): Promise<WordsFilter | null> {
  if (word.length < NAME_LENGTH_MIN) return null;
  const [, ...ids] = await listNamedIds(db, word);
  if (ids.length === 0) return null;
  // In the order of an index: the first of a name that many have would be looked for in the whole table.
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

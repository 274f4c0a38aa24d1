import { isRunSettled, RUN_TRANSITIONS, type RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { PLAN_ANEW } from "@/lib/store/plan-anew";
import { listNamedIds } from "@/lib/store/queries/list-named-ids";

/** Nobody narrows a queue by more; each is looked for among people too. */
const WORDS_MAX = 8;
/** So many rows, or runs of people, are found by their index and sorted. Of more, the first in the order of a page soon fill it. */
const FEW_MAX = 500;

/** As in the index approvals_pending_words (migration 20261127000000_inbox_words). */
const ROW_WORDS = Prisma.raw("approval_words(a.summary, a.server, a.tool, a.agent, a.workflow, a.run_id, a.call_id, a.id)");

export interface WordsFilter {
  /** Which rows of `approvals a` fit. */
  fits: Prisma.Sql;
  /** So many do that a page is found sooner by reading rows in its order; which it is, no estimate tells well enough. */
  isCommon: boolean;
}

/**
 * Rows that have all of these words, each whole or as a beginning, in what the inbox shows of them; a word may also be part of the name or e-mail
 * address of whoever started the run. Null when the text holds no word. A text is taken apart as the index is, so that nothing in it is an operator.
 */
export async function findWords(db: Db, text: string): Promise<WordsFilter | null> {
  const words = [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean))].slice(0, WORDS_MAX);
  if (words.length === 0) return null;
  const starters = await Promise.all(words.map((word) => findStarted(db, word)));
  const alone = words.filter((_, place) => starters[place] === null);
  const either = await Promise.all(words.flatMap((word, place) => (starters[place] ? [joinStarter(db, word, starters[place])] : [])));
  const fits = Prisma.join([...(alone.length > 0 ? [has(alone)] : []), ...either.map((each) => each.fits)], " AND ");
  if (either.some((each) => each.isCommon)) return { fits, isCommon: true };
  if (alone.length === 0) return { fits, isCommon: false };
  const few = named(await listFew(db, fits));
  return few === null ? { fits, isCommon: true } : { fits: few, isCommon: false };
}

/** Taking a row apart is slow, so that what few have is named before it is held against who started the run. */
async function joinStarter(db: Db, word: string, starter: WordsFilter): Promise<WordsFilter> {
  const few = named(await listFew(db, has([word])));
  return { fits: Prisma.sql`(${starter.fits} OR ${few ?? has([word])})`, isCommon: starter.isCommon || few === null };
}

const named = (ids: string[] | null): Prisma.Sql | null => ids && Prisma.sql`a.id = ANY (${ids})`;

const has = (words: readonly string[]): Prisma.Sql => Prisma.sql`${ROW_WORDS} @@ to_tsquery('simple', ${words.map((word) => `${word}:*`).join(" & ")})`;

/** All that fit, by the index; null if those are many. */
async function listFew(db: Db, fits: Prisma.Sql): Promise<string[] | null> {
  const rows = await db.$queryRaw<{ id: string }[]>`${PLAN_ANEW}SELECT a.id FROM approvals a WHERE a.status = 'pending' AND ${fits} LIMIT ${FEW_MAX + 1}`;
  return rows.length > FEW_MAX ? null : rows.map(({ id }) => id);
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
  const runs = await db.$queryRaw<{ id: string }[]>`${PLAN_ANEW}SELECT id FROM runs WHERE started_by_id = ANY (${ids}) AND status = ANY (${UNSETTLED}::run_status[]) ORDER BY status, id DESC LIMIT ${FEW_MAX + 1}`;
  if (runs.length === 0) return null;
  if (runs.length <= FEW_MAX) return { fits: Prisma.sql`a.run_id = ANY (${runs.map(({ id }) => id)})`, isCommon: false };
  return { fits: Prisma.sql`coalesce((SELECT r.started_by_id = ANY (${ids}) FROM runs r WHERE r.id = a.run_id), false)`, isCommon: true };
}

import type { RunStatus } from "@/lib/runs/rules/run-state";
import { IS_RECENT } from "@/lib/audit/queries/journal-events";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { listNamedIds } from "@/lib/people/queries/list-named-ids";
import { RUN_WORDS } from "@/lib/runs/projections/write-search";
import { type Need, runsThatNeed } from "@/lib/runs/queries/needs";

/** What lists and exports of runs can be narrowed by; everything given must fit. */
export interface RunFilter {
  workflow?: string;
  /** One of these. */
  status?: readonly RunStatus[];
  /** One of these, of a person outside the inbox. */
  needs?: readonly Need[];
  agent?: string;
  /** A name or e-mail address, or a part of one; or the id of whoever started it. */
  who?: string;
  from?: Date;
  to?: Date;
  /** What it cost so far, in US dollars: at least this, and at most that. */
  costMin?: number;
  costMax?: number;
  /** Words that must all occur, each whole or as a beginning. */
  text?: string;
}

/** Which rows of `runs` fit, for a WHERE of a list that reads the newest `limit` of them. */
export async function runsWhere(
  db: Db,
  filter: RunFilter,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Prisma.Sql> {
  const parts = [Prisma.sql`TRUE`];
  if (filter.workflow) parts.push(Prisma.sql`workflow = ${filter.workflow}`);
  if (filter.status && filter.status.length > 0)
    parts.push(Prisma.sql`status = ANY (${[...filter.status]}::run_status[])`);
  if (filter.needs && filter.needs.length > 0)
    parts.push(Prisma.sql`id = ANY (ARRAY(${runsThatNeed(filter.needs, cursor)}))`);
  if (filter.who) parts.push(Prisma.sql`started_by_id = ANY (${await listNamedIds(db, filter.who)})`);
  if (filter.from) parts.push(Prisma.sql`created_at >= ${filter.from}`);
  if (filter.to) parts.push(Prisma.sql`created_at < ${filter.to}`);
  if (cursor) parts.push(Prisma.sql`id < ${cursor}`);
  const { workflow, status, needs, agent, who, from, to, costMin, costMax, text } = filter;
  const isAlone =
    [workflow, status?.[0], needs?.[0], agent, who, from, to, costMin, costMax, text].filter(
      (value) => value !== undefined && value !== "",
    ).length === 1;
  const page: Wanted = {
    isAlone,
    limit,
    before: cursor ? (column) => Prisma.sql`AND ${column} < ${cursor}` : () => Prisma.empty,
  };
  const narrowed = await Promise.all([
    narrowByAgent(db, filter, page),
    narrowByText(db, filter, page),
    narrowByCost(db, filter, page),
  ]);
  return Prisma.join([...parts, ...narrowed.filter((part) => part !== null)], " AND ");
}

/** Which page of runs is wanted, and whether nothing else narrows it. */
interface Wanted {
  isAlone: boolean;
  limit: number;
  before: (column: Prisma.Sql) => Prisma.Sql;
}

/**
 * Runs are read newest first until a page is full, which is quick for what many have and slow for what few have; an
 * index is the other way round. Which it is, no estimate tells well enough. So a page is looked for among this many of
 * the newest, and the index is asked when they do not fill it, for no more than these few.
 */
const NEWEST_MAX = 1000;
const FEW_MAX = 500;

/** A full page of the newest, or all that the index has if they are few; of many more nothing is named. */
type Found = { kind: "newest" | "few"; ids: string[] } | { kind: "many" };

async function find(
  newest: () => Promise<{ id: string }[]>,
  indexed: () => Promise<{ id: string }[]>,
  { limit }: Wanted,
): Promise<Found> {
  const near = await newest();
  if (near.length === limit) return { kind: "newest", ids: near.map(({ id }) => id) };
  const few = await indexed();
  return few.length > FEW_MAX ? { kind: "many" } : { kind: "few", ids: few.map(({ id }) => id) };
}

const isOneOf = (ids: string[]): Prisma.Sql => Prisma.sql`id = ANY (${ids})`;

async function narrowByAgent(db: Db, { agent }: RunFilter, wanted: Wanted): Promise<Prisma.Sql | null> {
  return agent ? narrowBySearch(db, Prisma.sql`s.agents @> ARRAY[${agent}]::text[]`, wanted) : null;
}

async function narrowByText(db: Db, { text }: RunFilter, wanted: Wanted): Promise<Prisma.Sql | null> {
  return text ? narrowBySearch(db, Prisma.sql`s.words @@ ${toPrefixQuery(text)}`, wanted) : null;
}

/**
 * What many have is looked up for each run on the way: as a value and not as EXISTS, which would be made a join over
 * all runs. With no other filter the newest are read from the table of searches itself, in its order. Runs that are not
 * in it yet are looked at before it: one that comes to it meanwhile is found in both, and none in neither.
 */
async function narrowBySearch(db: Db, fits: Prisma.Sql, wanted: Wanted): Promise<Prisma.Sql> {
  const { isAlone, limit, before } = wanted;
  const begun = await listBegun(db, fits, before);
  const newest = () =>
    db.$queryRaw<
      { id: string }[]
    >`SELECT s.run_id AS id FROM (SELECT * FROM run_search s WHERE TRUE ${before(Prisma.sql`s.run_id`)} ORDER BY s.run_id DESC LIMIT ${NEWEST_MAX}) AS s WHERE ${fits} LIMIT ${limit}`;
  const found = await find(
    newest,
    () => db.$queryRaw`${PLAN_ANEW}SELECT s.run_id AS id FROM run_search s WHERE ${fits} LIMIT ${FEW_MAX + 1}`,
    wanted,
  );
  if (found.kind === "few" || (found.kind === "newest" && isAlone)) return isOneOf([...found.ids, ...begun]);
  return isAlone
    ? Prisma.sql`id = ANY (ARRAY(SELECT s.run_id FROM run_search s WHERE ${fits} ${before(Prisma.sql`s.run_id`)} ORDER BY s.run_id DESC LIMIT ${limit}) || ${begun}::text[])`
    : Prisma.sql`coalesce((SELECT ${fits} FROM run_search s WHERE s.run_id = runs.id), id = ANY (${begun}))`;
}

/** Those that fit of the runs that the projector has not come to: the few that began within the last second. */
async function listBegun(db: Db, fits: Prisma.Sql, before: Wanted["before"]): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`SELECT s.run_id AS id FROM (
      SELECT r.id AS run_id, r.agents, ${RUN_WORDS} AS words FROM runs r
      WHERE r.id = ANY (ARRAY(SELECT j.run_id FROM journal j WHERE ${IS_RECENT}))
        AND (SELECT true FROM run_search known WHERE known.run_id = r.id) IS NULL
    ) AS s WHERE ${fits} ${before(Prisma.sql`s.run_id`)}`;
  return rows.map(({ id }) => id);
}

/** More than the column can hold. */
const COST_MAX = 100_000_000;

/**
 * The cost of a run changes with each turn, so its index is one of ranges of pages, which changes seldom; it finds what
 * is rare, by a function of its own: the planner would rather read all runs (runs_by_cost, in the first migration).
 */
async function narrowByCost(db: Db, { costMin, costMax }: RunFilter, wanted: Wanted): Promise<Prisma.Sql | null> {
  if (costMin === undefined && costMax === undefined) return null;
  const fits = Prisma.sql`cost_usd >= ${costMin ?? 0}::numeric AND cost_usd <= ${costMax ?? COST_MAX}::numeric`;
  const newest = () =>
    db.$queryRaw<
      { id: string }[]
    >`SELECT id FROM (SELECT id, cost_usd FROM runs WHERE TRUE ${wanted.before(Prisma.sql`id`)} ORDER BY id DESC LIMIT ${NEWEST_MAX}) AS newest WHERE ${fits} LIMIT ${wanted.limit}`;
  const found = await find(
    newest,
    () =>
      db.$queryRaw`SELECT runs_by_cost(${costMin ?? 0}::numeric, ${costMax ?? COST_MAX}::numeric, ${FEW_MAX + 1}::integer) AS id`,
    wanted,
  );
  return found.kind === "few" ? isOneOf(found.ids) : fits;
}

/**
 * Each word must occur, whole or as a beginning; a compound one such as A-1042 as a phrase, of which only the last part
 * may be a beginning. The database takes the words apart, so that nothing a person types is read as an operator; what
 * holds no word asks for nothing.
 */
function toPrefixQuery(text: string): Prisma.Sql {
  return Prisma.sql`(SELECT string_agg('(' || phrase::text || ':*)', ' & ')::tsquery FROM (SELECT phraseto_tsquery('simple', word) AS phrase FROM unnest(${text.split(/\s+/u).filter(Boolean)}::text[]) AS word) AS phrases WHERE numnode(phrase) > 0)`;
}

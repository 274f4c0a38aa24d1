import type { RunStatus } from "@/lib/runs/rules/run-state";
import { IS_RECENT } from "@/lib/audit/queries/journal-events";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { listNamedIds } from "@/lib/people/queries/list-named-ids";
import { RUN_WORDS } from "@/lib/runs/projections/write-search";
import { type Need, runsThatNeed } from "@/lib/runs/queries/needs";

/** Filters for lists and exports of runs; everything given must match. */
export interface RunFilter {
  workflow?: string;
  /** One of these. */
  status?: readonly RunStatus[];
  /** One of these needs of a person outside the inbox. */
  needs?: readonly Need[];
  agent?: string;
  /** A name or e-mail address, or a part of one; or the id of whoever started it. */
  who?: string;
  from?: Date;
  to?: Date;
  /** Its cost so far in US dollars: minimum and maximum. */
  costMin?: number;
  costMax?: number;
  /** Words that must all occur, whole or as a prefix. */
  text?: string;
  /** Calls that MCP clients made, or runs of workflows. */
  via?: RunVia;
  /** The session of an MCP client. */
  session?: string;
}

export type RunVia = "mcp" | "workflow";

/** The text is that of two partial indexes, by which either kind is found newest first however rare it is. */
const VIA: Readonly<Record<RunVia, Prisma.Sql>> = {
  mcp: Prisma.sql`starts_with(workflow, 'mcp:')`,
  workflow: Prisma.sql`NOT starts_with(workflow, 'mcp:')`,
};

/** Which rows of `runs` match, for a WHERE of a list that reads the newest `limit` of them. */
export async function runsWhere(
  db: Db,
  filter: RunFilter,
  {
    cursor,
    limit,
    isPart = false,
  }: { cursor?: string; limit: number; /** More is asked of the rows. */ isPart?: boolean },
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
  if (filter.via) parts.push(VIA[filter.via]);
  if (filter.session) parts.push(Prisma.sql`session_id = ${filter.session}`);
  if (cursor) parts.push(Prisma.sql`id < ${cursor}`);
  const { workflow, status, needs, agent, who, from, to, costMin, costMax, text, via, session } = filter;
  const isAlone =
    !isPart &&
    [workflow, status?.[0], needs?.[0], agent, who, from, to, costMin, costMax, text, via, session].filter(
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
 * Reading runs newest first until a page is full is quick for common matches and slow for rare ones; an index is the
 * opposite. No estimate predicts well enough which applies. So a page is first searched among this many of the newest,
 * and the index is used if they do not fill it, for no more than FEW_MAX.
 */
const NEWEST_MAX = 1000;
const FEW_MAX = 500;

/** A full page of the newest, or all index matches if they are few; for many more no ids are listed. */
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
 * Common matches are looked up for each run: as a scalar, because EXISTS would become a join over all runs. With no
 * other filter the newest are read from the search table itself, in its order. Runs that are not in it yet are read
 * before it: one that is added meanwhile is found in both, and none is missed.
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

/** Matching runs that the projector has not read yet: the few that began within the last second. */
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
 * The cost of a run changes with each turn, so its index covers ranges of pages and changes seldom. It finds rare
 * values through a function of its own, because the planner would rather scan all runs (runs_by_cost, in the first
 * migration).
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
 * Each word must occur, whole or as a prefix; a compound one such as A-1042 as a phrase, of which only the last part
 * may be a prefix. The database splits the words, so that nothing a person types is an operator; text without a word
 * does not filter.
 */
function toPrefixQuery(text: string): Prisma.Sql {
  return Prisma.sql`(SELECT string_agg('(' || phrase::text || ':*)', ' & ')::tsquery FROM (SELECT phraseto_tsquery('simple', word) AS phrase FROM unnest(${text.split(/\s+/u).filter(Boolean)}::text[]) AS word) AS phrases WHERE numnode(phrase) > 0)`;
}

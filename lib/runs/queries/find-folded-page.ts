/**
 * Which runs a list shows that has one row for each session of an MCP client: runs of workflows, and of each session the
 * newest run that matches. That run is also the key of the row, so that pages stay correct while runs arrive.
 */
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { type RunFilter, runsWhere } from "@/lib/runs/queries/run-filter";

/** Over the calls of a session that match; over the newest of them, if there are more than are counted. */
export interface FoldedCounts {
  calls: number;
  /** There may be more calls than that. */
  isCapped: boolean;
  waiting: number;
  failed: number;
  workedMs: number;
  costUsd: number;
}

/** A session may have made any number of calls; a higher count helps nobody. */
const FOLDED_COUNT_MAX = 500;

/** Rows that are read at a time: a session fills them once, and is skipped by the next read. */
const BATCH = 200;

interface Found {
  id: string;
  sessionId: string | null;
}

/** At most `limit` ids, newest first. */
export async function findFoldedPage(
  db: Db,
  filter: RunFilter,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Found[]> {
  const page: Found[] = [];
  const seen = new Set<string>();
  for (let before = cursor; ;) {
    const batch = await readBatch(db, filter, { before, seen });
    const sessions = new Set(batch.flatMap(({ sessionId }) => sessionId ?? []));
    const earlier = cursor === undefined ? new Set() : await findOnEarlierPages(db, filter, { cursor, sessions });
    for (const row of batch) {
      if (row.sessionId === null) page.push(row);
      else if (!seen.has(row.sessionId)) {
        seen.add(row.sessionId);
        if (!earlier.has(row.sessionId)) page.push(row);
      }
      if (page.length === limit) return page;
    }
    if (batch.length < BATCH) return page;
    before = batch.at(-1)?.id;
  }
}

async function readBatch(
  db: Db,
  filter: RunFilter,
  { before, seen }: { before: string | undefined; seen: ReadonlySet<string> },
): Promise<Found[]> {
  const where = await runsWhere(db, filter, { cursor: before, limit: BATCH, isPart: seen.size > 0 });
  return db.$queryRaw`
    ${PLAN_ANEW}SELECT id, session_id AS "sessionId" FROM runs
    WHERE ${where} AND (session_id IS NULL OR session_id <> ALL (${[...seen]}::text[])) ORDER BY id DESC LIMIT ${BATCH}`;
}

/** Those of these sessions of which a run that matches is on the page that ends with the cursor, or on one before. */
async function findOnEarlierPages(
  db: Db,
  filter: RunFilter,
  { cursor, sessions }: { cursor: string; sessions: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  if (sessions.size === 0) return sessions;
  const where = await runsWhere(db, filter, { limit: 1, isPart: true });
  const rows = await db.$queryRaw<{ sessionId: string }[]>`
    ${PLAN_ANEW}SELECT asked.session_id AS "sessionId" FROM unnest(${[...sessions]}::text[]) AS asked(session_id)
    WHERE EXISTS (SELECT FROM runs WHERE ${where} AND runs.session_id = asked.session_id AND runs.id >= ${cursor})`;
  return new Set(rows.map(({ sessionId }) => sessionId));
}

/** Only for the sessions of one page. */
export async function countFolded(
  db: Db,
  filter: RunFilter,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, FoldedCounts>> {
  if (sessionIds.length === 0) return new Map();
  const where = await runsWhere(db, filter, { limit: FOLDED_COUNT_MAX, isPart: true });
  const rows = await db.$queryRaw<(Omit<FoldedCounts, "isCapped"> & { sessionId: string })[]>`
    ${PLAN_ANEW}SELECT asked.session_id AS "sessionId", counted.* FROM unnest(${[...sessionIds]}::text[]) AS asked(session_id)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS calls, count(*) FILTER (WHERE status IN ('pending_approval', 'needs_human_review'))::int AS waiting,
        count(*) FILTER (WHERE status = 'failed')::int AS failed, coalesce(sum(active_ms), 0)::float8 AS "workedMs", coalesce(sum(cost_usd), 0)::float8 AS "costUsd"
      FROM (
        SELECT status, active_ms, cost_usd FROM runs WHERE ${where} AND runs.session_id = asked.session_id
        ORDER BY runs.id DESC LIMIT ${FOLDED_COUNT_MAX}
      ) AS matching
    ) AS counted`;
  return new Map(
    rows.map(({ sessionId, ...counts }) => [sessionId, { ...counts, isCapped: counts.calls === FOLDED_COUNT_MAX }]),
  );
}

/** For the columns of the runs on a page. */
export const isOneOf = (found: readonly Found[]): Prisma.Sql => Prisma.sql`id = ANY (${found.map(({ id }) => id)})`;

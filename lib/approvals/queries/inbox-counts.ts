import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { type InboxFilter, type InboxReader, inboxWhere, isOpenTo } from "@/lib/approvals/queries/inbox-reader";
import { isStarter } from "@/lib/runs/queries/starters-sql";

/** A higher count helps nobody and costs time. */
export const COUNT_MAX = 1000;

export interface InboxCounts {
  /** At most COUNT_MAX each: "999+". */
  all: number;
  mine: number;
  critical: number;
  high: number;
  /** Number of approvals that the reader has set aside. */
  aside: number;
  /** Names for the filters, from the newest thousand pending calls. */
  workflows: string[];
  agents: string[];
  /** As `server.tool`. */
  tools: string[];
  /** How many of them have each danger level that occurs. */
  dangers: Readonly<Record<string, number>>;
}

export async function countPending(db: Db): Promise<number> {
  return count(db, Prisma.sql`a.status = 'pending'`);
}

export async function getInboxCounts(db: Db, reader: InboxReader, now: Date): Promise<InboxCounts> {
  const countOf = async (filter: InboxFilter) => {
    const where = inboxWhere(reader, filter);
    return where === null ? 0 : count(db, where);
  };
  const [all, mine, critical, high, aside, names] = await Promise.all([
    countPending(db),
    countMine(db, reader),
    countOf({ danger: "critical" }),
    countOf({ danger: "high" }),
    countOf({ aside: { only: true, now } }),
    listNames(db),
  ]);
  return { all, mine, critical, high, aside, ...names };
}

/**
 * Each workflow, agent, tool and level among the newest is grouped by itself, not in combination: in each row the other
 * columns are null.
 */
async function listNames(db: Db): Promise<Pick<InboxCounts, "workflows" | "agents" | "tools" | "dangers">> {
  const rows = await db.$queryRaw<
    { workflow: string | null; agent: string | null; tool: string | null; danger: string | null; count: number }[]
  >`
    SELECT workflow, agent, tool, danger::text AS danger, count(*)::int AS count FROM (SELECT workflow, agent, server || '.' || tool AS tool, danger FROM approvals WHERE status = 'pending' ORDER BY id DESC LIMIT ${COUNT_MAX}) AS newest
    GROUP BY GROUPING SETS ((workflow), (agent), (tool), (danger))`;
  return {
    workflows: rows.flatMap(({ workflow }) => workflow ?? []).sort(),
    agents: rows.flatMap(({ agent }) => agent ?? []).sort(),
    tools: rows.flatMap(({ tool }) => tool ?? []).sort(),
    dangers: Object.fromEntries(rows.flatMap(({ danger, count }) => (danger === null ? [] : [[danger, count]]))),
  };
}

/** How many are read first: enough to count to the maximum even if the reader started a fifth of their runs. */
const LOOKED_AT_FIRST = COUNT_MAX * 1.25;
const LOOKED_AT_GROWTH = 4;

/**
 * Reads the oldest first and looks up all their runs at once: they are neighbours in the index, which is much cheaper
 * than one search per approval. Reads more if the reader started so many of these runs that too few are left.
 */
async function countMine(db: Db, reader: InboxReader): Promise<number> {
  const open = isOpenTo(reader);
  if (open === null) return 0;
  for (let limit = LOOKED_AT_FIRST; ; limit *= LOOKED_AT_GROWTH) {
    const [row] = await db.$queryRaw<{ lookedAt: number; mine: number }[]>`
      WITH oldest AS MATERIALIZED (SELECT a.run_id, a.self_approval FROM approvals a WHERE a.status = 'pending' AND ${open} ORDER BY a.id LIMIT ${limit}),
        own AS (SELECT r.id FROM runs r WHERE r.id = ANY (ARRAY(SELECT run_id FROM oldest WHERE NOT self_approval)) AND ${isStarter(reader.userId)})
      SELECT count(*)::int AS "lookedAt", count(*) FILTER (WHERE self_approval OR run_id NOT IN (SELECT id FROM own))::int AS mine FROM oldest`;
    const { lookedAt = 0, mine = 0 } = row ?? {};
    if (mine >= COUNT_MAX || lookedAt < limit) return Math.min(mine, COUNT_MAX);
  }
}

async function count(db: Db, where: Prisma.Sql): Promise<number> {
  const [row] = await db.$queryRaw<
    { count: number }[]
  >`SELECT count(*)::int AS count FROM (SELECT 1 FROM approvals a WHERE ${where} LIMIT ${COUNT_MAX}) AS counted`;
  return row?.count ?? 0;
}

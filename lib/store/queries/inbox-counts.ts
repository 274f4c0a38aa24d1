import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { type InboxFilter, type InboxReader, inboxWhere } from "@/lib/store/queries/inbox-reader";

/** Nobody works off a thousand by looking at the number; counting further only costs. */
export const COUNT_MAX = 1000;

export interface InboxCounts {
  /** At most COUNT_MAX each: "999+". */
  all: number;
  mine: number;
  critical: number;
  high: number;
  /** Of those that the reader has set aside. */
  aside: number;
  /** What the pending calls belong to, for the filters; of the newest thousand. */
  workflows: string[];
  agents: string[];
  /** How many of them have each level that occurs. */
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
    countOf({ mine: true }),
    countOf({ danger: "critical" }),
    countOf({ danger: "high" }),
    countOf({ aside: { only: true, now } }),
    db.$queryRaw<{ workflow: string; agent: string; danger: string; count: number }[]>`
      SELECT workflow, agent, danger::text AS danger, count(*)::int AS count FROM (SELECT workflow, agent, danger FROM approvals WHERE status = 'pending' ORDER BY id DESC LIMIT ${COUNT_MAX}) AS newest
      GROUP BY workflow, agent, danger`,
  ]);
  const distinct = (values: string[]) => [...new Set(values)].sort();
  const dangers: Record<string, number> = {};
  for (const row of names) dangers[row.danger] = (dangers[row.danger] ?? 0) + row.count;
  return { all, mine, critical, high, aside, workflows: distinct(names.map((row) => row.workflow)), agents: distinct(names.map((row) => row.agent)), dangers };
}

async function count(db: Db, where: Prisma.Sql): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM (SELECT 1 FROM approvals a WHERE ${where} LIMIT ${COUNT_MAX}) AS counted`;
  return row?.count ?? 0;
}

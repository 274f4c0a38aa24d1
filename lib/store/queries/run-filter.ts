import type { RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";

/** What lists and exports of runs can be narrowed by; everything given must fit. */
export interface RunFilter {
  workflow?: string;
  /** One of these. */
  status?: readonly RunStatus[];
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

/** Which rows of `runs` fit, for a WHERE. */
export async function runsWhere(db: Db, filter: RunFilter & { cursor?: string }): Promise<Prisma.Sql> {
  const parts = [Prisma.sql`TRUE`];
  if (filter.workflow) parts.push(Prisma.sql`workflow = ${filter.workflow}`);
  if (filter.status && filter.status.length > 0) parts.push(Prisma.sql`status = ANY (${[...filter.status]}::run_status[])`);
  if (filter.agent) parts.push(Prisma.sql`id IN (SELECT run_id FROM run_search WHERE agents @> ARRAY[${filter.agent}])`);
  if (filter.who) parts.push(Prisma.sql`started_by_id = ANY (${await listStarters(db, filter.who)})`);
  if (filter.from) parts.push(Prisma.sql`created_at >= ${filter.from}`);
  if (filter.to) parts.push(Prisma.sql`created_at < ${filter.to}`);
  if (filter.costMin !== undefined) parts.push(Prisma.sql`cost_usd >= ${filter.costMin}::numeric`);
  if (filter.costMax !== undefined) parts.push(Prisma.sql`cost_usd <= ${filter.costMax}::numeric`);
  if (filter.text) parts.push(Prisma.sql`id IN (SELECT run_id FROM run_search WHERE to_tsvector('simple', text) @@ to_tsquery('simple', ${toPrefixQuery(filter.text)}))`);
  if (filter.cursor) parts.push(Prisma.sql`id < ${filter.cursor}`);
  return Prisma.join(parts, " AND ");
}

/** People are few and runs are many, so the name is looked up first and the runs are found by an index on ids. */
async function listStarters(db: Db, who: string): Promise<string[]> {
  const contains = { contains: who, mode: "insensitive" as const };
  const people = await db.user.findMany({ where: { OR: [{ name: contains }, { email: contains }] }, select: { id: true }, take: 200 });
  const tokens = await db.apiToken.findMany({ where: { OR: [{ name: contains }, { userId: { in: people.map(({ id }) => id) } }] }, select: { id: true }, take: 1000 });
  return [who, ...people.map(({ id }) => id), ...tokens.map(({ id }) => id)];
}

/** Every word in quotes, so that nothing a person types is read as an operator. */
export function toPrefixQuery(text: string): string {
  const words = text.split(/\s+/u).filter(Boolean);
  return words.map((word) => `'${word.replaceAll(/['\\]/g, "$&$&")}':*`).join(" & ");
}

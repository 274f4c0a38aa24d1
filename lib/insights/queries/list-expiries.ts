import type { Db } from "@/lib/database/client";
import type { Span } from "@/lib/insights/queries/span";

export interface Expiries {
  server: string;
  tool: string;
  /** Who was asked and did not answer in time; empty means any reviewer. */
  approvers: string[];
  expired: number;
  /** The shortest time that they had. */
  shortestMs: number;
  lastAt: Date;
}

/** Questions that nobody answered in time, by tool and by who was asked; the most first. */
export async function listExpiries(db: Db, { from, to, limit }: Span & { limit: number }): Promise<Expiries[]> {
  const rows = await db.$queryRaw<
    { server: string; tool: string; approvers: string[]; expired: number; shortest_ms: number; last_at: Date }[]
  >`
    SELECT server, tool, approvers, count(*)::int AS expired, min(extract(epoch FROM decided_at - created_at)::float8 * 1000) AS shortest_ms, max(decided_at) AS last_at
    FROM approvals WHERE decided_at >= ${from} AND decided_at < ${to} AND decided_at IS NOT NULL AND status = 'expired'
    GROUP BY server, tool, approvers ORDER BY count(*) DESC, server, tool LIMIT ${limit}`;
  return rows.map(({ shortest_ms: shortestMs, last_at: lastAt, ...row }) => ({ ...row, shortestMs, lastAt }));
}

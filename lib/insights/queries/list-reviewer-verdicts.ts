import { QUICK_APPROVAL_MS } from "@/lib/limits";
import type { Db } from "@/lib/database/client";
import type { Span } from "@/lib/insights/queries/span";

export interface ReviewerVerdicts {
  id: string;
  name: string;
  approved: number;
  rejected: number;
  p50Ms: number;
  p90Ms: number;
  /** Approvals of high and critical calls within QUICK_APPROVAL_MS. */
  quick: number;
}

interface Row {
  id: string;
  name: string;
  approved: number;
  rejected: number;
  quick: number;
  waits: [number, number];
  total: number;
}

/**
 * People who decided calls, the busiest first. A decision on a call that still needs a second one counts once that one
 * is made.
 */
export async function listReviewerVerdicts(
  db: Db,
  { from, to, limit }: Span & { limit: number },
): Promise<{ items: ReviewerVerdicts[]; total: number }> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT figures.*, users.name FROM (
      SELECT d.user_id AS id, count(*) FILTER (WHERE d.verdict = 'approved')::int AS approved, count(*) FILTER (WHERE d.verdict = 'rejected')::int AS rejected,
        count(*) FILTER (WHERE d.verdict = 'approved' AND a.danger >= 'high' AND d.created_at - a.created_at < ${QUICK_APPROVAL_MS} * interval '1 millisecond')::int AS quick,
        percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM d.created_at - a.created_at)::float8 * 1000) AS waits, (count(*) OVER ())::int AS total
      FROM decisions d JOIN approvals a ON a.id = d.approval_id AND a.decided_at IS NOT NULL AND a.decided_at >= ${from}
      WHERE d.created_at >= ${from} AND d.created_at < ${to}
      GROUP BY d.user_id ORDER BY count(*) DESC, d.user_id LIMIT ${limit}
    ) AS figures JOIN users ON users.id = figures.id ORDER BY approved + rejected DESC, users.name`;
  const items = rows.map(({ id, name, approved, rejected, quick, waits: [p50Ms, p90Ms] }) => ({
    id,
    name,
    approved,
    rejected,
    quick,
    p50Ms,
    p90Ms,
  }));
  return { items, total: rows[0]?.total ?? 0 };
}

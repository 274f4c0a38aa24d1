import type { Db } from "@/lib/database/client";
import { toVerdicts, type VerdictRow, type Verdicts } from "@/lib/insights/queries/get-verdicts";
import type { Span } from "@/lib/insights/queries/span";

export interface ToolVerdicts extends Verdicts {
  server: string;
  tool: string;
}

/** Tools about which people were asked, the most asked first. */
export async function listToolVerdicts(
  db: Db,
  { from, to, limit }: Span & { limit: number },
): Promise<{ items: ToolVerdicts[]; total: number }> {
  const rows = await db.$queryRaw<(VerdictRow & { server: string; tool: string; total: number })[]>`
    SELECT server, tool, count(*) FILTER (WHERE status = 'approved')::int AS approved, count(*) FILTER (WHERE status = 'rejected')::int AS rejected,
      count(*) FILTER (WHERE status = 'expired')::int AS expired, (count(*) OVER ())::int AS total,
      percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM decided_at - created_at)::float8 * 1000) FILTER (WHERE status IN ('approved', 'rejected')) AS waits
    FROM approvals WHERE decided_at >= ${from} AND decided_at < ${to} AND decided_at IS NOT NULL AND status IN ('approved', 'rejected', 'expired')
    GROUP BY server, tool ORDER BY count(*) DESC, server, tool LIMIT ${limit}`;
  return {
    items: rows.map(({ server, tool, ...row }) => ({ server, tool, ...toVerdicts(row) })),
    total: rows[0]?.total ?? 0,
  };
}

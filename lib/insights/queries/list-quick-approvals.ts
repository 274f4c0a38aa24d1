import { QUICK_APPROVAL_MS } from "@/lib/limits";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import type { Span } from "@/lib/insights/queries/span";

/** For the page, which says what counts as quick. */
export const QUICK_MS = QUICK_APPROVAL_MS;

export interface QuickApproval {
  approvalId: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  by: string;
  tookMs: number;
  at: Date;
}

/**
 * Approvals of high and critical calls that were faster than anyone could have read them, newest first, and how many
 * there are.
 */
export async function listQuickApprovals(
  db: Db,
  { from, to, limit }: Span & { limit: number },
): Promise<{ items: QuickApproval[]; total: number }> {
  const rows = await db.$queryRaw<(QuickApproval & { total: number })[]>`
    SELECT q.id AS "approvalId", a.server, a.tool, a.danger::text AS danger, a.summary, u.name AS by, q.ms AS "tookMs", q.at, q.total
    FROM (
      SELECT a.id, d.user_id, d.created_at AS at, extract(epoch FROM d.created_at - a.created_at)::float8 * 1000 AS ms, (count(*) OVER ())::int AS total
      FROM decisions d JOIN approvals a ON a.id = d.approval_id AND a.decided_at IS NOT NULL AND a.decided_at >= ${from}
      WHERE d.created_at >= ${from} AND d.created_at < ${to} AND d.verdict = 'approved' AND a.danger >= 'high'
        AND d.created_at - a.created_at < ${QUICK_APPROVAL_MS} * interval '1 millisecond'
      ORDER BY d.created_at DESC LIMIT ${limit}
    ) AS q JOIN approvals a ON a.id = q.id JOIN users u ON u.id = q.user_id ORDER BY q.at DESC`;
  return {
    items: rows.map(({ approvalId, server, tool, danger, summary, by, tookMs, at }) => ({
      approvalId,
      server,
      tool,
      danger,
      summary: showInvisible(summary || tool),
      by,
      tookMs,
      at,
    })),
    total: rows[0]?.total ?? 0,
  };
}

import type { Db } from "@/lib/database/client";

const WINDOW_DAYS = 90;
const REASONS_MAX = 3;
const MEDIAN_OF = 100;

/** What people decided about the same tool, in the last 90 days. */
export interface SeenBefore {
  days: number;
  approved: number;
  rejected: number;
  expired: number;
  /** The last reasons given for rejections, without repeats. */
  reasons: string[];
  medianMs: number | null;
  last: { verdict: string; by: string[]; at: string } | null;
}

/** `tool.id` is the approval being looked at, which is excluded. */
export async function seenBefore(
  db: Db,
  tool: { id: string; server: string; tool: string },
  now: Date,
): Promise<SeenBefore> {
  const since = new Date(now.getTime() - WINDOW_DAYS * 24 * 3_600_000);
  const decided = { id: { not: tool.id }, server: tool.server, tool: tool.tool, decidedAt: { gte: since } };
  const [counts, rejections, median, last] = await Promise.all([
    db.approval.groupBy({
      by: ["status"],
      where: { ...decided, status: { in: ["approved", "rejected", "expired"] } },
      _count: true,
    }),
    db.approval.findMany({
      where: { ...decided, status: "rejected" },
      orderBy: { decidedAt: "desc" },
      take: 20,
      select: { decisions: { where: { verdict: "rejected" }, select: { reason: true } } },
    }),
    db.$queryRaw<{ ms: number | null }[]>`
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM decided_at - created_at) * 1000)::float8 AS ms
      FROM (SELECT decided_at, created_at FROM approvals
        WHERE server = ${tool.server} AND tool = ${tool.tool} AND status IN ('approved', 'rejected') AND decided_at >= ${since} AND id <> ${tool.id}
        ORDER BY decided_at DESC LIMIT ${MEDIAN_OF}) AS lately`,
    db.approval.findFirst({
      where: { ...decided, status: { in: ["approved", "rejected"] } },
      orderBy: { decidedAt: "desc" },
      select: {
        status: true,
        decidedAt: true,
        decisions: { orderBy: { id: "asc" }, select: { verdict: true, user: { select: { name: true } } } },
      },
    }),
  ]);
  const countOf = (status: string) => counts.find((row) => row.status === status)?._count ?? 0;
  const reasons = rejections.flatMap((row) => row.decisions.flatMap(({ reason }) => (reason ? [reason] : [])));
  const by = last?.decisions.filter(({ verdict }) => verdict === last.status).map(({ user }) => user.name) ?? [];
  return {
    days: WINDOW_DAYS,
    approved: countOf("approved"),
    rejected: countOf("rejected"),
    expired: countOf("expired"),
    reasons: [...new Set(reasons)].slice(0, REASONS_MAX),
    medianMs: median[0]?.ms ?? null,
    last: last?.decidedAt && by.length > 0 ? { verdict: last.status, by, at: last.decidedAt.toISOString() } : null,
  };
}

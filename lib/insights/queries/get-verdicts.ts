import type { Db } from "@/lib/database/client";
import type { Span } from "@/lib/insights/queries/span";

/**
 * How the questions to people that were decided or expired within a time span ended. Withdrawn ones were nobody's
 * decision and are not counted.
 */
export interface Verdicts {
  approved: number;
  rejected: number;
  expired: number;
  /** From the question to the decision, of those that people decided; null when there are none. */
  p50Ms: number | null;
  p90Ms: number | null;
}

export interface VerdictRow {
  approved: number;
  rejected: number;
  expired: number;
  waits: number[] | null;
}

export const NO_VERDICTS: Verdicts = { approved: 0, rejected: 0, expired: 0, p50Ms: null, p90Ms: null };

/**
 * The figures of the whole span, and of each part of it; the parts begin at `starts`, the first of which is the span's
 * own beginning.
 */
export async function getVerdicts(
  db: Db,
  { from, to, starts }: Span & { starts: readonly Date[] },
): Promise<{ whole: Verdicts; parts: Verdicts[] }> {
  const rows = await db.$queryRaw<(VerdictRow & { part: number | null })[]>`
    SELECT width_bucket(decided_at, ${[...starts]}::timestamptz[]) AS part,
      count(*) FILTER (WHERE status = 'approved')::int AS approved, count(*) FILTER (WHERE status = 'rejected')::int AS rejected,
      count(*) FILTER (WHERE status = 'expired')::int AS expired,
      percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM decided_at - created_at)::float8 * 1000) FILTER (WHERE status IN ('approved', 'rejected')) AS waits
    FROM approvals WHERE decided_at >= ${from} AND decided_at < ${to} AND decided_at IS NOT NULL
    GROUP BY GROUPING SETS ((part), ())`;
  const of = (part: number | null): Verdicts => toVerdicts(rows.find((row) => row.part === part));
  return { whole: of(null), parts: starts.map((_, index) => of(index + 1)) };
}

export function toVerdicts(row: VerdictRow | undefined): Verdicts {
  if (!row) return NO_VERDICTS;
  const { approved, rejected, expired, waits } = row;
  return { approved, rejected, expired, p50Ms: waits?.[0] ?? null, p90Ms: waits?.[1] ?? null };
}

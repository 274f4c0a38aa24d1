import type { Db } from "@/lib/database/client";

/** How long each run has waited for people to decide its calls, in milliseconds. Overlapping approvals count once. */
export async function sumPersonWaits(db: Db, runIds: string[], now: Date): Promise<Map<string, number>> {
  if (runIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ run_id: string; ms: number }[]>`
    SELECT run_id, sum(extract(epoch FROM upper(waited) - lower(waited)) * 1000)::float8 AS ms
    FROM (
      SELECT run_id, unnest(range_agg(tstzrange(created_at, greatest(created_at, coalesce(decided_at, ${now}::timestamptz))))) AS waited
      FROM approvals WHERE run_id = ANY (${runIds}) GROUP BY run_id
    ) AS waits GROUP BY run_id`;
  return new Map(rows.map(({ run_id: runId, ms }) => [runId, Math.round(ms)]));
}

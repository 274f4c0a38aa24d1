import { HEARTBEAT_STALE_MS } from "@/lib/domain/limits";
import type { Db } from "@/lib/store/client";

/** What the whole installation holds at this moment. */
export interface Gauges {
  openRuns: Record<string, number>;
  due: number;
  dueOldestS: number;
  leasesHeld: number;
  leasesSilent: number;
  pendingByDanger: Record<string, number>;
  pendingOldestS: number;
  outcomeUnknown: number;
  workersAlive: number;
  isPaused: boolean;
}

interface Row extends Omit<Gauges, "openRuns" | "pendingByDanger"> {
  openRuns: Record<string, number> | null;
  pendingByDanger: Record<string, number> | null;
}

/** One statement, and every part of it walks an index that holds only what is open: what is over, however much it is, costs nothing. */
export async function getGauges(db: Db, now: Date): Promise<Gauges> {
  const [row] = await db.$queryRaw<Row[]>`
    SELECT
      (SELECT jsonb_object_agg(status, count) FROM (
        SELECT status, count(*) FROM runs WHERE status IN ('pending', 'running', 'pending_approval', 'needs_human_review') GROUP BY status) AS by_status) AS "openRuns",
      (SELECT count(*)::int FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL) AS due,
      (SELECT coalesce(extract(epoch FROM ${now}::timestamptz - min(wake_at)), 0)::float8 FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL) AS "dueOldestS",
      (SELECT count(*)::int FROM runs WHERE lease_owner IS NOT NULL AND lease_until >= ${now}) AS "leasesHeld",
      (SELECT count(*)::int FROM runs WHERE lease_owner IS NOT NULL AND lease_until < ${now}) AS "leasesSilent",
      (SELECT jsonb_object_agg(danger, count) FROM (SELECT danger, count(*) FROM approvals WHERE status = 'pending' GROUP BY danger) AS by_danger) AS "pendingByDanger",
      (SELECT coalesce(extract(epoch FROM ${now}::timestamptz - min(created_at)), 0)::float8 FROM approvals WHERE status = 'pending') AS "pendingOldestS",
      (SELECT count(*)::int FROM calls JOIN runs ON runs.id = calls.run_id
        WHERE calls.status = 'outcome_unknown' AND runs.status NOT IN ('complete', 'failed', 'cancelled')) AS "outcomeUnknown",
      (SELECT count(*)::int FROM workers WHERE heartbeat_at > ${new Date(now.getTime() - HEARTBEAT_STALE_MS)}) AS "workersAlive",
      EXISTS (SELECT 1 FROM settings WHERE key = 'dispatch.paused' AND value = 'true'::jsonb) AS "isPaused"`;
  if (!row) throw new Error("unreachable: a statement of figures without a row");
  return { ...row, openRuns: row.openRuns ?? {}, pendingByDanger: row.pendingByDanger ?? {} };
}

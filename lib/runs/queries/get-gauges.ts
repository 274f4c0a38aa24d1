import { DANGER_LEVELS, type DangerLevel } from "@/lib/policy/danger";
import { GAUGE_COUNT_MAX, HEARTBEAT_STALE_MS } from "@/lib/limits";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

const OPEN_STATUSES = ["pending", "running", "pending_approval", "needs_human_review"] as const;

/** The state of the whole installation now. A count equal to the limit means "at least this many". */
export interface Gauges {
  openRuns: Record<(typeof OPEN_STATUSES)[number], number>;
  due: number;
  dueOldestS: number;
  leasesHeld: number;
  leasesSilent: number;
  pendingByDanger: Record<DangerLevel, number>;
  pendingOldestS: number;
  outcomeUnknown: number;
  workersAlive: number;
  isPaused: boolean;
}

/**
 * One statement; each part of it walks an index and stops at `max`, so that neither ended nor waiting runs make a
 * scrape expensive.
 */
export async function getGauges(db: Db, now: Date, max = GAUGE_COUNT_MAX): Promise<Gauges> {
  const count = (rows: Prisma.Sql) => Prisma.sql`(SELECT count(*)::int FROM (${rows} LIMIT ${max}) AS counted)`;
  const [row] = await db.$queryRaw<Gauges[]>`
    SELECT
      ${byName(OPEN_STATUSES, (status) => count(runsOf(status)))} AS "openRuns",
      ${count(Prisma.sql`SELECT 1 FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL ORDER BY wake_at`)} AS due,
      (SELECT coalesce(extract(epoch FROM ${now}::timestamptz - min(wake_at)), 0)::float8 FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL) AS "dueOldestS",
      ${count(Prisma.sql`SELECT 1 FROM runs WHERE lease_owner IS NOT NULL AND lease_until >= ${now} ORDER BY lease_until`)} AS "leasesHeld",
      ${count(Prisma.sql`SELECT 1 FROM runs WHERE lease_owner IS NOT NULL AND lease_until < ${now} ORDER BY lease_until`)} AS "leasesSilent",
      ${byName(DANGER_LEVELS, (danger) => count(questionsOf(danger)))} AS "pendingByDanger",
      coalesce((SELECT extract(epoch FROM ${now}::timestamptz - created_at) FROM approvals WHERE status = 'pending' ORDER BY id LIMIT 1), 0)::float8 AS "pendingOldestS",
      (SELECT count(DISTINCT newest.call_id)::int FROM (
        SELECT data ->> 'call_id' AS call_id FROM events WHERE type = 'call.outcome_unknown' ORDER BY id DESC LIMIT ${max}
      ) AS newest WHERE ${isUnsettled}) AS "outcomeUnknown",
      (SELECT count(*)::int FROM workers WHERE heartbeat_at > ${new Date(now.getTime() - HEARTBEAT_STALE_MS)}) AS "workersAlive",
      EXISTS (SELECT 1 FROM settings WHERE key = 'dispatch.paused' AND value = 'true'::jsonb) AS "isPaused"`;
  if (!row) throw new Error("unreachable: a statement of figures without a row");
  return row;
}

const byName = (names: readonly string[], value: (name: string) => Prisma.Sql): Prisma.Sql =>
  Prisma.sql`jsonb_build_object(${Prisma.join(names.flatMap((name) => [Prisma.sql`${name}::text`, value(name)]))})`;

/**
 * A range in index order, though it is one value: only that index fits then, and the planner cannot scan the whole
 * table for a rare status in the hope of reaching the limit soon. A literal, because the statistics of each value
 * differ.
 */
const runsOf = (status: string): Prisma.Sql =>
  Prisma.raw(`SELECT 1 FROM runs WHERE status >= '${status}' AND status <= '${status}' ORDER BY status, id DESC`);
const questionsOf = (danger: string): Prisma.Sql =>
  Prisma.raw(
    `SELECT 1 FROM approvals WHERE status = 'pending' AND danger >= '${danger}' AND danger <= '${danger}' ORDER BY danger DESC, id`,
  );

/**
 * A call is not indexed by its status; calls that were ever unknown are found by their events, which are few. An ended
 * run asks nothing of anyone.
 */
const isUnsettled = Prisma.sql`(SELECT c.status = 'outcome_unknown' AND r.status NOT IN ('complete', 'failed', 'cancelled') FROM calls c JOIN runs r ON r.id = c.run_id WHERE c.id = newest.call_id)`;

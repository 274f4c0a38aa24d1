import { Prisma } from "@/lib/database/generated/client";

/**
 * Stands at the head of a statement whose best plan hangs on its values: a filter that fits half of all rows, or none.
 * Postgres plans a prepared statement for any values after a few executions; one with this mark is not prepared, and
 * planned each time.
 */
export const PLAN_ANEW = Prisma.raw("/* plan anew */ ");

/**
 * Stands at the head of a statement that finds everything by its key, so that one plan is the best for all values.
 * Postgres would plan it five times for each connection before it believes that; such a statement goes to connections
 * that believe it at once.
 */
export const PLAN_ONCE = Prisma.raw("/* plan once */ ");

/**
 * As PLAN_ONCE, for a statement that reads little and waits for no lock: it goes over one connection with whatever else
 * is read in the same moment.
 */
export const READ_IN_GROUP = Prisma.raw("/* plan once */ /* in group */ ");

export function isPlannedOnce(sql: string): boolean {
  return sql.includes(PLAN_ONCE.sql);
}

export function isReadInGroup(sql: string): boolean {
  return sql.includes(READ_IN_GROUP.sql);
}

export function isPlannedAnew(sql: string): boolean {
  return sql.includes(PLAN_ANEW.sql);
}

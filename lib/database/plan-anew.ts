import { Prisma } from "@/lib/database/generated/client";

/**
 * Prefix of a statement whose best plan depends on its values: a filter that matches half of all rows, or none. After a
 * few executions Postgres uses a generic plan for a prepared statement; one with this mark is not prepared, and is
 * planned each time.
 */
export const PLAN_ANEW = Prisma.raw("/* plan anew */ ");

/**
 * Prefix of a statement that finds everything by its key, so that one plan is best for all values. Postgres would plan
 * it five times per connection before it uses a generic plan; this statement goes to connections that use one at once.
 */
export const PLAN_ONCE = Prisma.raw("/* plan once */ ");

/**
 * Like PLAN_ONCE, for a statement that reads little and waits for no lock: it shares one connection with other reads of
 * the same moment.
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

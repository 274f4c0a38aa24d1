import { Prisma } from "@/lib/store/generated/client";

/**
 * Stands at the head of a statement whose best plan hangs on its values: a filter that fits half of all rows, or none. Postgres plans a
 * prepared statement for any values after a few executions; one with this mark is not prepared, and planned each time.
 */
export const PLAN_ANEW = Prisma.raw("/* plan anew */ ");

export function isPlannedAnew(sql: string): boolean {
  return sql.includes(PLAN_ANEW.sql);
}

import type { Db } from "@/lib/database/client";

/**
 * Runs that are due and that no process has, counted up to `max`: a long queue costs no more than that many entries of
 * its index.
 */
export async function countDueRuns(db: Db, now: Date, max: number): Promise<number> {
  const [row] = await db.$queryRaw<{ due: number }[]>`
    SELECT count(*)::int AS due FROM (SELECT 1 FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL LIMIT ${max}) AS queue`;
  return row?.due ?? 0;
}

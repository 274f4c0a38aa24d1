import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/** Who started the run `r` and the runs that it retries, from the first on. */
const CHAIN = Prisma.sql`ARRAY(
          WITH RECURSIVE chain AS (
            SELECT r.started_by_user_id AS person, r.retry_of_run_id AS earlier
            UNION SELECT o.started_by_user_id, o.retry_of_run_id FROM chain JOIN runs o ON o.id = chain.earlier
          ) SELECT DISTINCT person FROM chain WHERE person IS NOT NULL)`;

/**
 * Everyone who started the run `r`, or a run that it retries: retrying another person's run does not make it less
 * theirs. Most runs are not a retry, and need only their own row.
 */
export const STARTERS = Prisma.sql`CASE WHEN r.retry_of_run_id IS NULL THEN array_remove(ARRAY[r.started_by_user_id], NULL) ELSE ${CHAIN} END`;

/** Whether this person is one of them, without building a list for each of many rows. */
export const isStarter = (userId: string): Prisma.Sql =>
  Prisma.sql`(r.started_by_user_id = ${userId} OR (r.retry_of_run_id IS NOT NULL AND ${userId} = ANY (${CHAIN})))`;

interface StartedRun {
  id: string;
  startedByUserId: string | null;
  retryOfRunId: string | null;
}

/** For runs that are already read: queries the database only if one of them is a retry. */
export async function readStarters(db: Db, runs: readonly StartedRun[]): Promise<(runId: string) => string[]> {
  const starters = new Map(runs.map((run) => [run.id, run.startedByUserId === null ? [] : [run.startedByUserId]]));
  const retries = [...new Set(runs.filter((run) => run.retryOfRunId !== null).map((run) => run.id))];
  const rows =
    retries.length === 0
      ? []
      : await db.$queryRaw<
          { id: string; starters: string[] }[]
        >`SELECT r.id, ${STARTERS} AS starters FROM runs r WHERE r.id = ANY (${retries})`;
  for (const row of rows) starters.set(row.id, row.starters);
  return (runId) => starters.get(runId) ?? [];
}

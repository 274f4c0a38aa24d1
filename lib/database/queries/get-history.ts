import type { Db } from "@/lib/database/client";

export interface DatabaseHistory {
  /** The cluster and timeline that is written to now. */
  now: string;
  /** The one that the rows belong to; null when it was never recorded. */
  known: string | null;
  /** Whether every commit waited for a standby, when that was last recorded. */
  wasSynchronous: boolean;
  isSynchronous: boolean;
}

export async function getHistory(db: Db): Promise<DatabaseHistory> {
  const [row] = await db.$queryRaw<DatabaseHistory[]>`
    SELECT database_history() AS now, s.value ->> 'history' AS known, coalesce((s.value ->> 'synchronous')::boolean, false) AS "wasSynchronous",
      current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply') AS "isSynchronous"
    FROM (SELECT 1) AS one LEFT JOIN settings s ON s.key = 'database.history'`;
  if (!row) throw new Error("unreachable: a SELECT without a row");
  return row;
}

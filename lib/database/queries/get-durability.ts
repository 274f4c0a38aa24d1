import type { Durability } from "@/lib/database/rules/judge-durability";
import type { Db } from "@/lib/database/client";

/** Only what any role may read: the number of standbys, not their names. */
export async function getDurability(db: Db): Promise<Durability> {
  const [row] = await db.$queryRaw<Durability[]>`
    SELECT current_setting('fsync')::boolean AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('synchronous_standby_names') AS "synchronousStandbyNames", (SELECT count(*)::int FROM pg_stat_replication) AS standbys`;
  if (!row) throw new Error("unreachable: a SELECT without a row");
  return row;
}

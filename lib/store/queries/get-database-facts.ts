import type { Db } from "@/lib/store/client";

export interface DatabaseFacts {
  version: string;
  /** The database's clock, and how long it took to ask for it. */
  now: Date;
  roundTripMs: number;
  /** Null when the database has never been migrated. */
  migrations: { name: string; finished: boolean }[] | null;
}

export async function getDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  // The first statement also opens the connection, which is no part of a round trip.
  const [table] = await db.$queryRaw<{ name: string | null }[]>`SELECT to_regclass('_prisma_migrations')::text AS name`;
  const begunAt = performance.now();
  const [row] = await db.$queryRaw<{ version: string; now: Date }[]>`SELECT current_setting('server_version') AS version, clock_timestamp() AS now`;
  const roundTripMs = performance.now() - begunAt;
  if (!row) throw new Error("unreachable: a database without a clock");
  const migrations = table?.name
    ? await db.$queryRaw<{ name: string; finished: boolean }[]>`
        SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`
    : null;
  return { ...row, roundTripMs, migrations };
}

import type { Db } from "@/lib/database/client";

export interface DatabaseFacts {
  version: string;
  /** By how much this machine's clock is ahead of the database's, within the round trip. */
  aheadMs: number;
  roundTripMs: number;
  user: string;
  /** Rights that a migration revokes do not apply to a superuser. */
  isSuperuser: boolean;
  /** Null when the database has never been migrated. */
  migrations: { name: string; finished: boolean }[] | null;
}

export async function getDatabaseFacts(db: Db, here: () => Date): Promise<DatabaseFacts> {
  // The first statement also opens the connection, which is no part of a round trip.
  const [first] = await db.$queryRaw<{ name: string | null; user: string; isSuperuser: boolean }[]>`
    SELECT to_regclass('_prisma_migrations')::text AS name, rolname::text AS user, rolsuper AS "isSuperuser" FROM pg_roles WHERE rolname = current_user`;
  if (!first) throw new Error("unreachable: a session without a role");
  const rounds = [await ask(db, here), await ask(db, here), await ask(db, here)];
  // The quickest round shows the distance to the database; the others show how busy this machine was.
  const { version, aheadMs, roundTripMs } = rounds.toSorted((left, right) => left.roundTripMs - right.roundTripMs)[0]!;
  const migrations = first.name
    ? await db.$queryRaw<{ name: string; finished: boolean }[]>`
        SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`
    : null;
  return { version, aheadMs, roundTripMs, user: first.user, isSuperuser: first.isSuperuser, migrations };
}

async function ask(db: Db, here: () => Date): Promise<Pick<DatabaseFacts, "version" | "aheadMs" | "roundTripMs">> {
  const begunAt = performance.now();
  const [row] = await db.$queryRaw<
    { version: string; now: Date }[]
  >`SELECT current_setting('server_version') AS version, clock_timestamp() AS now`;
  if (!row) throw new Error("unreachable: a database without a clock");
  return {
    version: row.version,
    aheadMs: here().getTime() - row.now.getTime(),
    roundTripMs: performance.now() - begunAt,
  };
}

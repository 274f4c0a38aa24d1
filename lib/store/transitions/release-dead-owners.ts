/**
 * Ends the leases of processes that are gone. Each process holds an advisory lock of its session for as long as it lives; when the lock
 * is free, its connection is closed, so the process died or lost the database, and every write of it would be refused anyway.
 */
import type { Db } from "@/lib/store/client";

/** Shared by all processes of all releases. */
export const OWNER_LOCK_CLASS = 7461003;

export async function releaseDeadOwners(db: Db, ownId: string, now: Date): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH owners AS (
      SELECT DISTINCT lease_owner AS id FROM runs WHERE lease_owner IS NOT NULL AND lease_owner <> ${ownId} AND lease_until >= ${now}
    ), dead AS (
      SELECT id FROM owners WHERE NOT EXISTS (
        SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND l.classid::bigint = ${OWNER_LOCK_CLASS} AND l.objid::bigint = (hashtext(owners.id)::bigint & 4294967295) AND l.objsubid = 2 AND l.granted)
    )
    UPDATE runs SET lease_until = ${new Date(now.getTime() - 1)} FROM dead
    WHERE runs.lease_owner = dead.id AND runs.lease_until >= ${now}
    RETURNING runs.id`;
  return rows.map((row) => row.id);
}

/**
 * Ends the leases of processes that are gone. Each process holds an advisory lock of its session as long as it lives; a
 * free lock means that its connection is closed. A live process reconnects within a moment, so the caller names only
 * those that were missing for longer; the statement itself checks once more whether the lock is free.
 */
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/** Shared by all processes of all releases. */
export const OWNER_LOCK_CLASS = 7461003;
/**
 * Held by the one process that watches for dead ones. If all did, the cost would grow with the square of their number.
 */
export const WATCH_LOCK_CLASS = 7461004;

/** The lock's second key is signed when it is taken, and unsigned when it is listed. */
const isLocked = Prisma.sql`EXISTS (
  SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid::bigint = ${OWNER_LOCK_CLASS} AND l.objid::bigint = (hashtext(owners.id)::bigint & 4294967295) AND l.objsubid = 2 AND l.granted)`;

/** Owners of unexpired leases whose lock is free at this moment. */
export async function listMissingOwners(db: Db, ownId: string, now: Date): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH owners AS MATERIALIZED (
      SELECT DISTINCT lease_owner AS id FROM runs WHERE lease_owner IS NOT NULL AND lease_owner <> ${ownId} AND lease_until >= ${now}
    ) SELECT id FROM owners WHERE NOT ${isLocked}`;
  return rows.map((row) => row.id);
}

/** Returns the runs that can be claimed now. */
export async function releaseDeadOwners(db: Db, missing: string[], now: Date): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH owners AS (SELECT unnest(${missing}::text[]) AS id), dead AS MATERIALIZED (SELECT id FROM owners WHERE NOT ${isLocked})
    UPDATE runs SET lease_until = ${new Date(now.getTime() - 1)} FROM dead
    WHERE runs.lease_owner = dead.id AND runs.lease_until >= ${now}
    RETURNING runs.id`;
  return rows.map((row) => row.id);
}

/**
 * Ends the leases of processes that are gone. Each process holds an advisory lock of its session for as long as it
 * lives; that the lock is free means that its connection is closed. A process that lives gets its connection back
 * within a moment, so the caller names only those that it has missed for longer; whether the lock is free is looked at
 * once more in the statement itself.
 */
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/** Shared by all processes of all releases. */
export const OWNER_LOCK_CLASS = 7461003;
/**
 * Held by the one process that looks for dead ones. Were they all to look, the cost would grow with the square of their
 * number.
 */
export const WATCH_LOCK_CLASS = 7461004;

/** The lock's second key is a signed number where it is taken, and an unsigned one where it is listed. */
const isLocked = Prisma.sql`EXISTS (
  SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid::bigint = ${OWNER_LOCK_CLASS} AND l.objid::bigint = (hashtext(owners.id)::bigint & 4294967295) AND l.objsubid = 2 AND l.granted)`;

/** Owners of leases that still run, whose lock is free at this moment. */
export async function listMissingOwners(db: Db, ownId: string, now: Date): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH owners AS MATERIALIZED (
      SELECT DISTINCT lease_owner AS id FROM runs WHERE lease_owner IS NOT NULL AND lease_owner <> ${ownId} AND lease_until >= ${now}
    ) SELECT id FROM owners WHERE NOT ${isLocked}`;
  return rows.map((row) => row.id);
}

/** Gives back the runs that can be claimed now. */
export async function releaseDeadOwners(db: Db, missing: string[], now: Date): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH owners AS (SELECT unnest(${missing}::text[]) AS id), dead AS MATERIALIZED (SELECT id FROM owners WHERE NOT ${isLocked})
    UPDATE runs SET lease_until = ${new Date(now.getTime() - 1)} FROM dead
    WHERE runs.lease_owner = dead.id AND runs.lease_until >= ${now}
    RETURNING runs.id`;
  return rows.map((row) => row.id);
}

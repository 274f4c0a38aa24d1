import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import type { Candidate } from "@/lib/runs/journal/claim-run";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import { READ_IN_GROUP } from "@/lib/database/plan-anew";

/** A run as it was seen before it is claimed, including who has it, or had it. */
export interface RunnableRun extends Candidate {
  status: RunStatus;
}

/**
 * Runs that may be claimed: those whose worker was silent for too long (unless it is too early to say), then those that
 * are due, oldest first. The silent ones come first, or a long queue would delay them. Only candidates: the claim
 * decides.
 */
export async function listRunnable(
  db: Db,
  now: Date,
  options: { limit: number; withSilent: boolean },
): Promise<RunnableRun[]> {
  const { limit, withSilent } = options;
  const silent = withSilent
    ? Prisma.sql`(SELECT id, status, lease_owner AS "leaseOwner" FROM runs WHERE lease_owner IS NOT NULL AND lease_until < ${now} ORDER BY lease_until LIMIT ${limit}) UNION ALL`
    : Prisma.empty;
  return db.$queryRaw<RunnableRun[]>`
    ${silent} (SELECT id, status, lease_owner AS "leaseOwner" FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL ORDER BY wake_at LIMIT ${limit})`;
}

/** The run, if it is due and nobody has it. */
export async function findRunnable(db: Db, now: Date, runId: string): Promise<RunnableRun | null> {
  const [candidate = null] = await db.$queryRaw<RunnableRun[]>`
    ${READ_IN_GROUP}SELECT id, status, lease_owner AS "leaseOwner" FROM runs WHERE id = ${runId} AND wake_at <= ${now} AND lease_owner IS NULL`;
  return candidate;
}

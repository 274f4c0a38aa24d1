import { Prisma } from "@/lib/store/generated/client";

/**
 * That an approval still waits, for statements that find it by its key. Said so that none of the indexes over waiting approvals fits: a plan made while
 * few waited would go through all of them, and does so until Postgres next gathers its statistics, however many wait by then.
 */
export const waits = (approval: string): Prisma.Sql => Prisma.raw(`${approval}.status NOT IN ('approved', 'rejected', 'expired', 'cancelled')`);

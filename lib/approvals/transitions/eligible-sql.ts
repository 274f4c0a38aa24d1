import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/**
 * Whether the person `u` may decide when `approvers`, roles or groups, are named: the rule of eligibility.ts at the
 * time of the statement. When nobody is named, that is left out of the statement: Postgres prepares every part of it
 * for each execution, also those that it never reaches.
 */
export function mayDecide(approvers: readonly string[]): Prisma.Sql {
  const isPerson = Prisma.sql`u.disabled_at IS NULL AND u.role <> 'viewer'`;
  if (approvers.length === 0) return isPerson;
  const named = Prisma.sql`${[...approvers]}::text[]`;
  return Prisma.sql`${isPerson} AND (
            EXISTS (SELECT 1 FROM unnest(${named}) AS named (name) JOIN unnest(enum_range(NULL::role)) AS known (role) ON known.role::text = named.name WHERE u.role >= known.role)
            OR EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = u.id AND g.name = ANY (${named})))`;
}

/** Whether this person is not disabled and may decide, at the time of the statement. */
export const isAllowed = (userId: string, approvers: readonly string[]): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT 1 FROM users u WHERE u.id = ${userId} AND ${mayDecide(approvers)})`;

/** The subset of these people who may decide now. */
export async function listAllowed(
  db: Db,
  userIds: string[],
  approvers: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT u.id FROM users u WHERE u.id = ANY (${userIds}) AND ${mayDecide(approvers)}`;
  return new Set(rows.map(({ id }) => id));
}

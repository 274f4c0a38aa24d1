/**
 * Gives a person another role, with its event. The guard keeps at least one admin who can sign in: the admins are
 * locked first, so that two of them who demote each other at the same instant cannot both succeed.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Role } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function changeUserRoleRow(
  db: Db,
  change: { userId: string; role: Role },
  actor: Actor,
  at: Date,
): Promise<boolean> {
  const event = insertEvent(
    {
      chainId: SYSTEM_CHAIN,
      type: "user.role_changed",
      at,
      actor,
      data: { user_id: change.userId, role: change.role },
    },
    "moved",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH admins AS MATERIALIZED (
      SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE
    ), moved AS (
      UPDATE users SET role = ${change.role}::role, updated_at = ${at}
      WHERE id = ${change.userId} AND role <> ${change.role}::role
        AND (${change.role} = 'admin' OR EXISTS (SELECT 1 FROM admins WHERE admins.id <> ${change.userId}))
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

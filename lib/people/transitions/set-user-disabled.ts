/**
 * Disables a person's account or enables it again, with its event. Disabling ends their sessions (session_version) and
 * keeps at least one admin; count 0 means that nothing had to change or that the guard refused.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function setUserDisabledRow(
  db: Db,
  change: { userId: string; disabled: boolean },
  actor: Actor,
  at: Date,
): Promise<boolean> {
  const type = change.disabled ? "user.disabled" : "user.enabled";
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type, at, actor, data: { user_id: change.userId } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH admins AS MATERIALIZED (
      SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE
    ), moved AS (
      UPDATE users
      SET disabled_at = CASE WHEN ${change.disabled} THEN ${at}::timestamptz END,
          session_version = session_version + CASE WHEN ${change.disabled} THEN 1 ELSE 0 END,
          updated_at = ${at}
      WHERE id = ${change.userId} AND (disabled_at IS NULL) = ${change.disabled}
        AND (NOT ${change.disabled} OR EXISTS (SELECT 1 FROM admins WHERE admins.id <> ${change.userId}))
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

/** Replaces a person's password and ends their other sessions, with its event. Gives the new session version, or null for nobody. */
import type { Actor } from "@/lib/domain/actor";
import { SYSTEM_CHAIN } from "@/lib/domain/audit-event";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";

export async function setUserPasswordRow(db: Db, change: { userId: string; passwordHash: string }, actor: Actor, at: Date): Promise<number | null> {
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type: "user.password_changed", at, actor, data: { user_id: change.userId } }, "moved");
  const rows = await db.$queryRaw<{ session_version: number }[]>`
    WITH moved AS (
      UPDATE users SET password_hash = ${change.passwordHash}, session_version = session_version + 1, updated_at = ${at}
      WHERE id = ${change.userId}
      RETURNING session_version
    ), logged AS (${event})
    SELECT session_version FROM moved`;
  return rows[0]?.session_version ?? null;
}

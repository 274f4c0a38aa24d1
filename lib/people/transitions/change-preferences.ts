/** Changes some of a person's preferences and leaves the others, with its event. False when there is no such person. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { PreferencesChange } from "@/lib/people/rules/preferences";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function changePreferencesRow(
  db: Db,
  change: { userId: string; preferences: PreferencesChange },
  actor: Actor,
  at: Date,
): Promise<boolean> {
  const event = insertEvent(
    {
      chainId: SYSTEM_CHAIN,
      type: "user.preferences_changed",
      at,
      actor,
      data: { user_id: change.userId, ...change.preferences },
    },
    "moved",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE users SET preferences = preferences || ${JSON.stringify(change.preferences)}::jsonb, updated_at = ${at} WHERE id = ${change.userId}
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

/** The admin's switch: while it is on, no call is sent, not even an approved one. With its event. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function pauseDispatchRow(
  db: Db,
  { paused, actor }: { paused: boolean; actor: Actor },
  at: Date,
): Promise<void> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: paused ? "dispatch.paused" : "dispatch.resumed", at, actor, data: {} },
    "moved",
  );
  await db.$queryRaw`
    WITH moved AS (
      INSERT INTO settings (key, value, updated_by, updated_at) VALUES ('dispatch.paused', ${JSON.stringify(paused)}::jsonb, ${actor.id}, ${at})
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_by = excluded.updated_by, updated_at = excluded.updated_at
        WHERE settings.value <> excluded.value
      RETURNING key
    ), logged AS (${event})
    SELECT key FROM moved`;
}

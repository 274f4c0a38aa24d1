/** Gives a person another name, with its event. False when there is no such person. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function renameUserRow(
  db: Db,
  change: { userId: string; name: string },
  actor: Actor,
  at: Date,
): Promise<boolean> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "user.renamed", at, actor, data: { user_id: change.userId, name: change.name } },
    "moved",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (UPDATE users SET name = ${change.name}, updated_at = ${at} WHERE id = ${change.userId} RETURNING id),
      logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

/** Removes a group and its memberships, with its event. False when there is no such group. */
import type { Actor } from "@/lib/domain/actor";
import { SYSTEM_CHAIN } from "@/lib/domain/audit-event";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";

export async function deleteGroupRow(db: Db, groupId: string, actor: Actor, at: Date): Promise<boolean> {
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type: "group.deleted", at, actor, data: { group_id: groupId } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (DELETE FROM groups WHERE id = ${groupId} RETURNING id), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

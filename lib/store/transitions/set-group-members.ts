/**
 * Makes exactly these people the members of a group, with its event. People who do not exist are left out, and those whom the project
 * names stay: only the project can take them out. False for no group.
 */
import type { Actor } from "@/lib/domain/actor";
import { SYSTEM_CHAIN } from "@/lib/domain/audit-event";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";

export async function setGroupMembersRow(db: Db, change: { groupId: string; userIds: string[] }, actor: Actor, at: Date): Promise<boolean> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "group.members_set", at, actor, data: { group_id: change.groupId, user_ids: change.userIds } },
    "target",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH target AS MATERIALIZED (SELECT id FROM groups WHERE id = ${change.groupId} FOR UPDATE),
      removed AS (DELETE FROM group_members m USING target WHERE m.group_id = target.id AND NOT m.from_project AND m.user_id <> ALL (${change.userIds})),
      added AS (
        INSERT INTO group_members (group_id, user_id)
        SELECT target.id, u.id FROM target, users u WHERE u.id = ANY (${change.userIds})
        ON CONFLICT DO NOTHING
      ), logged AS (${event})
    SELECT id FROM target`;
  return rows.length > 0;
}

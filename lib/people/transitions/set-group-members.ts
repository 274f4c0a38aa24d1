/**
 * Makes exactly these people the members of a group, with its event. People who do not exist are left out. Where that
 * would remove someone whom the project names, nothing is changed, and those people are returned: only the project can
 * remove them.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export interface NamedMember {
  name: string;
  email: string;
}

export type MembersOutcome =
  | { kind: "set" }
  | { kind: "absent" }
  | { kind: "named"; group: string; members: NamedMember[] };

export async function setGroupMembersRow(
  db: Db,
  change: { groupId: string; userIds: string[] },
  actor: Actor,
  at: Date,
): Promise<MembersOutcome> {
  const event = insertEvent(
    {
      chainId: SYSTEM_CHAIN,
      type: "group.members_set",
      at,
      actor,
      data: { group_id: change.groupId, user_ids: change.userIds },
    },
    "target",
  );
  const [row] = await db.$queryRaw<{ name: string; named: NamedMember[] }[]>`
    WITH asked AS MATERIALIZED (SELECT id, name, project_members FROM groups WHERE id = ${change.groupId} FOR UPDATE),
      named AS MATERIALIZED (
        SELECT u.name, u.email FROM asked JOIN group_members m ON m.group_id = asked.id JOIN users u ON u.id = m.user_id
        WHERE (m.from_project OR u.email = ANY (asked.project_members)) AND m.user_id <> ALL (${change.userIds})
      ),
      target AS MATERIALIZED (SELECT id FROM asked WHERE NOT EXISTS (SELECT 1 FROM named)),
      removed AS (DELETE FROM group_members m USING target WHERE m.group_id = target.id AND m.user_id <> ALL (${change.userIds})),
      added AS (
        INSERT INTO group_members (group_id, user_id)
        SELECT target.id, u.id FROM target, users u WHERE u.id = ANY (${change.userIds})
        ON CONFLICT DO NOTHING
      ), logged AS (${event})
    SELECT name, (SELECT coalesce(jsonb_agg(named ORDER BY named.email), '[]') FROM named) AS named FROM asked`;
  if (!row) return { kind: "absent" };
  return row.named.length > 0 ? { kind: "named", group: row.name, members: row.named } : { kind: "set" };
}

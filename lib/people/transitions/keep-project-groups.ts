/**
 * Makes the groups in the database match policy.yaml: one group for each that it names, with exactly the named people
 * as members from the project. Members that an admin added stay. Writes an event when anything changed; any number of
 * processes may do it at once.
 */
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export interface ProjectGroup {
  /** Used for a group that does not exist yet. */
  id: string;
  name: string;
  description: string;
  emails: string[];
}

export async function keepProjectGroups(db: Db, groups: readonly ProjectGroup[], at: Date): Promise<void> {
  const data = { groups: groups.map(({ name, emails }) => ({ name, emails })) };
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "group.project_read", at, actor: SYSTEM_ACTOR, data },
    "changed",
  );
  await db.$executeRaw`
    WITH wanted AS MATERIALIZED (
      SELECT w.id, w.name, w.description, ARRAY(SELECT jsonb_array_elements_text(w.emails)) AS emails
      FROM jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) AS w (id text, name text, description text, emails jsonb)
    ), made AS (
      INSERT INTO groups (id, name, description, project_members, created_at)
      SELECT id, name, description, emails, ${at} FROM wanted
      ON CONFLICT (name) DO UPDATE SET project_members = excluded.project_members WHERE groups.project_members IS DISTINCT FROM excluded.project_members
      RETURNING id, name
    ), forgotten AS (
      UPDATE groups SET project_members = '{}' WHERE project_members <> '{}' AND name NOT IN (SELECT name FROM wanted) RETURNING id
    ), members AS MATERIALIZED (
      SELECT g.id AS group_id, u.id AS user_id
      FROM (SELECT id, name FROM made UNION SELECT id, name FROM groups) AS g JOIN wanted w ON w.name = g.name JOIN users u ON u.email = ANY (w.emails)
    ), removed AS (
      DELETE FROM group_members m WHERE m.from_project AND NOT EXISTS (SELECT 1 FROM members WHERE members.group_id = m.group_id AND members.user_id = m.user_id)
      RETURNING m.group_id
    ), added AS (
      INSERT INTO group_members (group_id, user_id, from_project) SELECT group_id, user_id, true FROM members ON CONFLICT DO NOTHING RETURNING group_id
    ), changed AS (
      SELECT id FROM made UNION ALL SELECT id FROM forgotten UNION ALL SELECT group_id FROM removed UNION ALL SELECT group_id FROM added
    )
    ${event}`;
}

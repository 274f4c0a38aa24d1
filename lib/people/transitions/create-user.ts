/**
 * Adds a person, with its event, to the groups for which the project names them. An e-mail that is taken changes
 * nothing and returns null.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Role } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export interface NewUser {
  id: string;
  email: string;
  name: string;
  role: Role;
  passwordHash: string | null;
  /**
   * Only when there is no admin yet: the first one is made once, even when several processes start at the same time.
   */
  onlyIfNoAdmin?: boolean;
}

export async function createUserRow(db: Db, user: NewUser, actor: Actor, at: Date): Promise<{ id: string } | null> {
  const event = insertEvent(
    {
      chainId: SYSTEM_CHAIN,
      type: "user.created",
      at,
      actor,
      data: { user_id: user.id, email: user.email, role: user.role },
    },
    "created",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH created AS (
      INSERT INTO users (id, email, name, role, password_hash, created_at, updated_at)
      SELECT ${user.id}, ${user.email}, ${user.name}, ${user.role}::role, ${user.passwordHash}, ${at}, ${at}
      WHERE NOT ${user.onlyIfNoAdmin ?? false} OR NOT EXISTS (SELECT 1 FROM users WHERE role = 'admin')
      ON CONFLICT (email) DO NOTHING
      RETURNING id
    ), joined AS (
      INSERT INTO group_members (group_id, user_id, from_project)
      SELECT g.id, created.id, true FROM created, groups g WHERE ${user.email} = ANY (g.project_members)
    ), logged AS (${event})
    SELECT id FROM created`;
  return rows[0] ?? null;
}

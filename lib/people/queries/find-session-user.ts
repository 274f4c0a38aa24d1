import { type Preferences, readPreferences } from "@/lib/people/rules/preferences";
import type { Role } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";

export interface SessionUser {
  id: string;
  name: string;
  email: string;
  role: Role;
  groups: string[];
  sessionVersion: number;
  preferences: Preferences;
}

/** The person as they are now, in one statement; null when deleted or disabled, or when this session was signed out. */
export async function findSessionUser(db: Db, session: { id: string; userId: string }): Promise<SessionUser | null> {
  const [row] = await db.$queryRaw<(Omit<SessionUser, "preferences"> & { preferences: unknown })[]>`
    SELECT u.id, u.name, u.email, u.role::text AS role, u.session_version AS "sessionVersion", u.preferences,
      ARRAY(SELECT g.name FROM group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = u.id) AS groups
    FROM users u
    WHERE u.id = ${session.userId} AND u.disabled_at IS NULL AND NOT EXISTS (SELECT 1 FROM ended_sessions e WHERE e.id = ${session.id})`;
  return row ? { ...row, preferences: readPreferences(row.preferences), groups: row.groups.sort() } : null;
}

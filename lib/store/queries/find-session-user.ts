import { type Preferences, readPreferences } from "@/lib/domain/preferences";
import type { Role } from "@/lib/domain/roles";
import type { Db } from "@/lib/store/client";

export interface SessionUser {
  id: string;
  name: string;
  email: string;
  role: Role;
  groups: string[];
  sessionVersion: number;
  preferences: Preferences;
}

/** The person as they are now; null when gone or shut out. */
export async function findSessionUser(db: Db, userId: string): Promise<SessionUser | null> {
  const row = await db.user.findUnique({
    where: { id: userId, disabledAt: null },
    select: { id: true, name: true, email: true, role: true, sessionVersion: true, preferences: true, memberships: { select: { group: { select: { name: true } } } } },
  });
  return row && { ...row, preferences: readPreferences(row.preferences), groups: row.memberships.map((membership) => membership.group.name).sort() };
}

import type { Role, Scope } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";

export interface LiveToken {
  id: string;
  name: string;
  scopes: Scope[];
  /** The profile of an MCP client's token; null for a token of the API. */
  profile: string | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  user: { id: string; name: string; email: string; role: Role; groups: string[]; disabled: boolean };
}

type Row = Omit<LiveToken, "user"> & {
  userId: string;
  userName: string;
  email: string;
  role: Role;
  groups: string[];
  disabled: boolean;
};

/** The token and its person as they are now, in one statement: it runs at the start of every request with a token. */
export async function findToken(db: Db, hash: string): Promise<LiveToken | null> {
  const [row] = await db.$queryRaw<Row[]>`
    SELECT t.id, t.name, t.scopes, t.profile, t.expires_at AS "expiresAt", t.revoked_at AS "revokedAt",
      t.last_used_at AS "lastUsedAt", u.id AS "userId", u.name AS "userName", u.email, u.role::text AS role,
      u.disabled_at IS NOT NULL AS disabled,
      ARRAY(SELECT g.name FROM group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = u.id) AS groups
    FROM api_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.hash = ${hash}`;
  if (!row) return null;
  const { userId, userName, email, role, groups, disabled, ...token } = row;
  return { ...token, user: { id: userId, name: userName, email, role, groups: groups.sort(), disabled } };
}

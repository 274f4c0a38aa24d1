import type { Role, Scope } from "@/lib/domain/roles";
import type { Db } from "@/lib/store/client";

export interface LiveToken {
  id: string;
  name: string;
  scopes: Scope[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  user: { id: string; name: string; email: string; role: Role; groups: string[]; disabled: boolean };
}

export async function findToken(db: Db, hash: string): Promise<LiveToken | null> {
  const row = await db.apiToken.findUnique({
    where: { hash },
    include: { user: { include: { memberships: { select: { group: { select: { name: true } } } } } } },
  });
  if (!row) return null;
  const { user } = row;
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes as Scope[],
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
    user: {
      id: user.id,
      name: user.name,
      email: user.email,
      role: user.role,
      groups: user.memberships.map((membership) => membership.group.name).sort(),
      disabled: user.disabledAt !== null,
    },
  };
}

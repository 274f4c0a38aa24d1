import type { Db } from "@/lib/database/client";

/** A token with which an MCP client can sign in now. */
export interface ClientToken {
  id: string;
  name: string;
  hint: string;
  profile: string | null;
  userId: string;
  person: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** People make few of these; more than this many are on the page of tokens. */
const TOKENS_MAX = 200;

/** Those used last come first, and those never used last. */
export async function listClientTokens(db: Db, now: Date): Promise<ClientToken[]> {
  const rows = await db.apiToken.findMany({
    where: {
      scopes: { has: "mcp" },
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
      user: { disabledAt: null },
    },
    orderBy: [{ lastUsedAt: { sort: "desc", nulls: "last" } }, { id: "desc" }],
    take: TOKENS_MAX,
    include: { user: { select: { name: true } } },
  });
  return rows.map(({ id, name, hint, profile, userId, expiresAt, lastUsedAt, user }) => ({
    id,
    name,
    hint,
    profile,
    userId,
    expiresAt,
    lastUsedAt,
    person: user.name,
  }));
}

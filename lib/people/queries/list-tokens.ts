import { PAGE_SIZE } from "@/lib/limits";
import type { Scope } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";
import { type Page, toPage } from "@/lib/database/page";

export interface TokenInfo {
  id: string;
  name: string;
  hint: string;
  scopes: Scope[];
  /** What an MCP client with it may do; null for other tokens. */
  profile: string | null;
  user: { id: string; name: string; email: string };
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Newest first; one person's, or everyone's when `userId` is left out. */
export async function listTokens(
  db: Db,
  query: { userId?: string; cursor?: string; limit?: number },
): Promise<Page<TokenInfo>> {
  const limit = query.limit ?? PAGE_SIZE;
  const rows = await db.apiToken.findMany({
    where: { userId: query.userId, id: query.cursor ? { lt: query.cursor } : undefined },
    orderBy: { id: "desc" },
    take: limit + 1,
    include: { user: { select: { id: true, name: true, email: true } }, createdBy: { select: { name: true } } },
  });
  return toPage(rows, limit, {
    cursorOf: (row) => row.id,
    map: (row) => ({
      id: row.id,
      name: row.name,
      hint: row.hint,
      scopes: row.scopes as Scope[],
      profile: row.profile,
      user: row.user,
      createdBy: row.createdBy?.name ?? null,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
      lastUsedAt: row.lastUsedAt,
      revokedAt: row.revokedAt,
    }),
  });
}

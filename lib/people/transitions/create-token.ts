/** Stores a new API token (its hash, never the token), with its event. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Scope } from "@/lib/people/rules/roles";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export interface NewToken {
  id: string;
  name: string;
  userId: string;
  createdById: string;
  hash: string;
  hint: string;
  scopes: Scope[];
  profile: string | null;
  expiresAt: Date | null;
}

export async function createTokenRow(db: Db, token: NewToken, actor: Actor, at: Date): Promise<void> {
  const data = {
    token_id: token.id,
    name: token.name,
    user_id: token.userId,
    scopes: token.scopes,
    ...(token.profile !== null && { profile: token.profile }),
    expires_at: token.expiresAt?.toISOString() ?? null,
  };
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type: "token.created", at, actor, data }, "created");
  await db.$queryRaw`
    WITH created AS (
      INSERT INTO api_tokens (id, name, user_id, created_by_id, hash, hint, scopes, profile, expires_at,
        created_at)
      VALUES (${token.id}, ${token.name}, ${token.userId}, ${token.createdById}, ${token.hash}, ${token.hint}, ${token.scopes},
        ${token.profile}, ${token.expiresAt}, ${at})
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM created`;
}

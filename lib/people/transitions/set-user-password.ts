/**
 * Replaces a person's password and ends their other sessions, with its event; with `endsTokens`, also every token that
 * acts as them, each with its own event. The person's row is locked first, so that no token made meanwhile is left out.
 * Returns the new session version, or null when there is no such person.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvents } from "@/lib/audit/transitions/event-sql";

export interface PasswordRowChange {
  userId: string;
  passwordHash: string;
  endsTokens: boolean;
}

export async function setUserPasswordRow(
  db: Db,
  { userId, passwordHash, endsTokens }: PasswordRowChange,
  { actor, at }: { actor: Actor; at: Date },
): Promise<number | null> {
  const facts = { chainId: SYSTEM_CHAIN, at, actor } as const;
  return db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR UPDATE`;
    const tokens = endsTokens ? await lockTokens(tx, userId) : [];
    const events = insertEvents(
      [
        { ...facts, type: "user.password_changed", data: { user_id: userId } },
        ...tokens.map(({ id, profile }) => ({
          ...facts,
          type: "token.revoked",
          data: { token_id: id, ...(profile !== null && { profile }) },
        })),
      ],
      "moved",
    );
    const rows = await tx.$queryRaw<{ session_version: number }[]>`
      WITH moved AS (
        UPDATE users SET password_hash = ${passwordHash}, session_version = session_version + 1, updated_at = ${at}
        WHERE id = ${userId}
        RETURNING session_version
      ), tokens_ended AS (
        UPDATE api_tokens SET revoked_at = ${at} WHERE id = ANY (${tokens.map(({ id }) => id)})
      ), logged AS (${events})
      SELECT session_version FROM moved`;
    return rows[0]?.session_version ?? null;
  });
}

/** Locks the tokens that act as this person, so that nobody else revokes one of them before this is done. */
async function lockTokens(
  tx: Pick<Db, "$queryRaw">,
  userId: string,
): Promise<{ id: string; profile: string | null }[]> {
  return tx.$queryRaw`
    SELECT id, profile FROM api_tokens WHERE user_id = ${userId} AND revoked_at IS NULL ORDER BY id FOR UPDATE`;
}

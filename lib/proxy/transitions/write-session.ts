/** Rows of sessions. They group calls for people and for a budget; nothing is permitted by them. */
import type { Db } from "@/lib/database/client";
import type { StoredSession } from "@/lib/proxy/queries/find-session";

/** Of two processes that open the session of one conversation, the second finds the first one's row. */
export async function openSessionRow(
  db: Db,
  session: StoredSession & { transportHash: string | null },
  at: Date,
): Promise<string> {
  const { id, tokenId, profile, clientName, clientVersion, protocolVersion, transportHash } = session;
  const [row] = await db.$queryRaw<{ id: string }[]>`
    INSERT INTO client_sessions (id, token_id, profile, client_name, client_version, protocol_version, transport_hash, created_at, last_seen_at)
    VALUES (${id}, ${tokenId}, ${profile}, ${clientName}, ${clientVersion}, ${protocolVersion}, ${transportHash}, ${at}, ${at})
    ON CONFLICT (transport_hash) DO UPDATE SET last_seen_at = greatest(client_sessions.last_seen_at, excluded.last_seen_at)
    RETURNING id`;
  return row!.id;
}

export async function touchSession(db: Db, sessionId: string, at: Date): Promise<void> {
  await db.$executeRaw`UPDATE client_sessions SET last_seen_at = ${at} WHERE id = ${sessionId} AND last_seen_at < ${at}`;
}

/** The client said that it will not use the session again. */
export async function endSessionRow(db: Db, sessionId: string, at: Date): Promise<void> {
  await db.$executeRaw`UPDATE client_sessions SET ended_at = ${at} WHERE id = ${sessionId} AND ended_at IS NULL`;
}

/** All sessions of tokens that are no longer valid. */
export async function endSessionsOfTokens(db: Db, tokenIds: readonly string[], at: Date): Promise<void> {
  await db.$executeRaw`UPDATE client_sessions SET ended_at = ${at} WHERE token_id = ANY(${[...tokenIds]}) AND ended_at IS NULL`;
}

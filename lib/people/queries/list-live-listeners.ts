import type { Db } from "@/lib/database/client";

/** Who listens, and with which credential: one of a person's sessions, or a token. */
export interface Listener {
  userId: string;
  role: string;
  session?: { id: string; version: number } | undefined;
  tokenId?: string | undefined;
}

/** Indexes of the listeners that may still listen now, in one statement for all streams of a process. */
export async function listLiveListeners(db: Db, listeners: readonly Listener[], at: Date): Promise<number[]> {
  const asked = listeners.map(({ userId, role, session, tokenId }, place) => ({
    place,
    user_id: userId,
    role,
    session_id: session?.id ?? null,
    version: session?.version ?? null,
    token_id: tokenId ?? null,
  }));
  const rows = await db.$queryRaw<{ place: number }[]>`
    SELECT a.place FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS a (place int, user_id text, role text, session_id text, version int, token_id text)
    JOIN users u ON u.id = a.user_id AND u.disabled_at IS NULL AND u.role::text = a.role
    WHERE CASE WHEN a.token_id IS NULL
      THEN u.session_version = a.version AND NOT EXISTS (SELECT 1 FROM ended_sessions e WHERE e.id = a.session_id)
      ELSE EXISTS (SELECT 1 FROM api_tokens t WHERE t.id = a.token_id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${at})) END`;
  return rows.map(({ place }) => place);
}

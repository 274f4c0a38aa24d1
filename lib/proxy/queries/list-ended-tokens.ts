import type { Db } from "@/lib/database/client";

/** Those of the given tokens that no client may use any more, or that have another profile by now. */
export async function listEndedTokens(
  db: Db,
  held: readonly { tokenId: string; profile: string }[],
  at: Date,
): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT h."tokenId" AS id FROM jsonb_to_recordset(${JSON.stringify(held)}::jsonb) AS h ("tokenId" text, profile text)
    WHERE NOT EXISTS (
      SELECT 1 FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.id = h."tokenId" AND t.profile = h.profile AND t.revoked_at IS NULL AND u.disabled_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > ${at}))`;
  return rows.map(({ id }) => id);
}

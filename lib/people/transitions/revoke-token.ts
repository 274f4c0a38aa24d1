/**
 * Ends a token for good, with its event. False when there is no such token, it is someone else's, or it was revoked
 * before.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function revokeTokenRow(
  db: Db,
  change: { tokenId: string; ownerId: string | null },
  actor: Actor,
  at: Date,
): Promise<boolean> {
  // It is never changed, so that it can be read before.
  const token = await db.apiToken.findUnique({ where: { id: change.tokenId }, select: { profile: true } });
  const data = { token_id: change.tokenId, ...(token?.profile && { profile: token.profile }) };
  const event = insertEvent({ chainId: SYSTEM_CHAIN, type: "token.revoked", at, actor, data }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE api_tokens SET revoked_at = ${at}
      WHERE id = ${change.tokenId} AND revoked_at IS NULL AND (${change.ownerId}::text IS NULL OR user_id = ${change.ownerId})
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

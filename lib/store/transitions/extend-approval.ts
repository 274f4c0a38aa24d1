/** Gives people more time to decide, with its event. False when it is decided, expired, or never expires. */
import type { Actor } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";

export async function extendApprovalRow(db: Db, approval: { id: string; runId: string; expiresAt: Date }, actor: Actor, at: Date): Promise<boolean> {
  const data = { approval_id: approval.id, expires_at: approval.expiresAt.toISOString() };
  const event = insertEvent({ chainId: approval.runId, type: "approval.extended", at, actor, data }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE approvals SET expires_at = ${approval.expiresAt}, version = version + 1
      WHERE id = ${approval.id} AND status = 'pending' AND expires_at > ${at} AND expires_at < ${approval.expiresAt}
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

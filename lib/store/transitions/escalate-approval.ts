/** Widens the circle of those who may decide once the rule's time has come, with its event; once only. */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";

export async function escalateApprovalRow(db: Db, approval: { id: string; runId: string; to: string[] }, at: Date): Promise<boolean> {
  const event = insertEvent({ chainId: approval.runId, type: "approval.escalated", at, actor: SYSTEM_ACTOR, data: { approval_id: approval.id, to: approval.to } }, "moved");
  await pause("escalate-approval:before-commit", approval.id);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE approvals SET escalated_at = ${at}, version = version + 1,
        approvers = CASE WHEN cardinality(approvers) = 0 THEN approvers ELSE ARRAY(SELECT DISTINCT unnest(approvers || escalate_to)) END
      WHERE id = ${approval.id} AND status = 'pending' AND escalated_at IS NULL AND escalate_at <= ${at}
      RETURNING id
    ), logged AS (${event})
    SELECT id FROM moved`;
  await pause("escalate-approval:after-commit", approval.id);
  return rows.length > 0;
}

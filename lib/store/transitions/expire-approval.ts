/** Ends an approval that nobody decided in time, with its call, its event and the run's wake-up. Null when someone was quicker. */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";
import { waits } from "@/lib/store/waits-sql";

export async function expireApprovalRow(db: Db, approval: { id: string; runId: string; callId: string }, at: Date): Promise<boolean> {
  const data = { approval_id: approval.id, call_id: approval.callId };
  const event = insertEvent({ chainId: approval.runId, type: "approval.expired", at, actor: SYSTEM_ACTOR, data }, "moved");
  await pause("expire-approval:before-commit", approval.id);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH open_run AS MATERIALIZED (
      SELECT id FROM runs WHERE id = ${approval.runId} AND status NOT IN ('complete', 'failed', 'cancelled') FOR UPDATE
    ), moved AS (
      UPDATE approvals SET status = 'expired', decided_at = ${at}, version = version + 1 FROM open_run
      WHERE approvals.id = ${approval.id} AND approvals.run_id = open_run.id AND ${waits("approvals")} AND approvals.expires_at <= ${at}
      RETURNING approvals.id, approvals.call_id, approvals.run_id, approvals.step_id
    ), called AS (
      UPDATE calls SET status = 'expired', completed_at = ${at}, error = '{"code":"expired","message":"Nobody decided in time."}'::jsonb
      FROM moved WHERE calls.id = moved.call_id AND calls.status = 'pending_approval'
    ), stepped AS (
      UPDATE steps SET status = 'running' FROM moved
      WHERE steps.id = moved.step_id AND steps.status = 'pending_approval'
        AND NOT EXISTS (SELECT 1 FROM approvals other WHERE other.run_id = moved.run_id AND other.step_id = moved.step_id AND ${waits("other")} AND other.id <> moved.id)
    ), woken AS (
      UPDATE runs SET wakes = wakes + 1, wake_at = ${at}, updated_at = ${at} FROM moved WHERE runs.id = ${approval.runId}
    ), logged AS (${event})
    SELECT id FROM moved`;
  await pause("expire-approval:after-commit", approval.id);
  return rows.length > 0;
}

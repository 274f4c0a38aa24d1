/**
 * Ends a run by a person's word, at any moment: what waits is withdrawn, what was not sent is never sent. The epoch is raised, so
 * that a worker that is at it right now can write nothing more; a call that is executing becomes unknown, because its answer will
 * not be recorded; a sub-agent was within this system, and is known to have ended. False when the run was over already.
 */
import type { Actor } from "@/lib/domain/actor";
import { AGENTS_SERVER, RUN_ENDED } from "@/lib/domain/call-state";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";

export async function cancelRunRow(db: Db, cancel: { runId: string; reason: string | null }, actor: Actor, at: Date): Promise<boolean> {
  const event = insertEvent({ chainId: cancel.runId, type: "run.cancelled", at, actor, data: { reason: cancel.reason } }, "moved");
  await pause("cancel-run:before-commit", cancel.runId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE runs SET status = 'cancelled', completed_at = ${at}, updated_at = ${at}, lease_owner = NULL, lease_until = NULL, wake_at = NULL,
        epoch = epoch + 1, wakes = wakes + 1, secrets = NULL, cost_reserved_usd = 0
      WHERE id = ${cancel.runId} AND status NOT IN ('complete', 'failed', 'cancelled')
      RETURNING id
    ), steps_ended AS (
      UPDATE steps SET status = 'cancelled', completed_at = ${at} FROM moved
      WHERE steps.run_id = moved.id AND steps.status IN ('pending', 'running', 'pending_approval', 'needs_human_review')
    ), calls_ended AS (
      UPDATE calls SET status = CASE WHEN calls.status <> 'executing' THEN 'cancelled' WHEN calls.server = ${AGENTS_SERVER} THEN 'failed' ELSE 'outcome_unknown' END::call_status,
        error = CASE WHEN calls.server = ${AGENTS_SERVER} AND calls.status = 'executing' THEN ${JSON.stringify(RUN_ENDED)}::jsonb ELSE calls.error END,
        completed_at = CASE WHEN calls.status <> 'executing' OR calls.server = ${AGENTS_SERVER} THEN ${at}::timestamptz END
      FROM moved WHERE calls.run_id = moved.id AND calls.status IN ('requested', 'approved', 'pending_approval', 'executing')
    ), approvals_ended AS (
      UPDATE approvals SET status = 'cancelled', decided_at = ${at}, version = version + 1 FROM moved
      WHERE approvals.run_id = moved.id AND approvals.status = 'pending'
    ), logged AS (${event})
    SELECT id FROM moved`;
  await pause("cancel-run:after-commit", cancel.runId);
  return rows.length > 0;
}

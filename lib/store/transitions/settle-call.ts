/** A person's word on a call whose outcome is unknown: it happened (with what came of it), it did not (so it is sent), or it failed. */
import type { Actor } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";

export interface Settlement {
  callId: string;
  runId: string;
  to: "succeeded" | "approved" | "failed";
  result: unknown;
  comment: string | null;
}

export async function settleCallRow(db: Db, settlement: Settlement, actor: Actor, at: Date): Promise<boolean> {
  const data = { call_id: settlement.callId, to: settlement.to, comment: settlement.comment };
  const event = insertEvent({ chainId: settlement.runId, type: "call.settled", at, actor, data }, "moved");
  await pause("settle-call:before-commit", settlement.callId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH open_run AS MATERIALIZED (SELECT id, status FROM runs WHERE id = ${settlement.runId} FOR UPDATE),
    moved AS (
      UPDATE calls SET status = ${settlement.to}::call_status, result = coalesce(${settlement.result === undefined ? null : JSON.stringify(settlement.result)}::jsonb, result),
        error = CASE WHEN ${settlement.to} = 'failed' THEN '{"code":"settled_as_failed","message":"A person settled this call as failed."}'::jsonb END,
        executing_at = CASE WHEN ${settlement.to} = 'approved' THEN NULL ELSE executing_at END,
        completed_at = CASE WHEN ${settlement.to} <> 'approved' THEN ${at}::timestamptz END
      FROM open_run
      WHERE calls.id = ${settlement.callId} AND calls.run_id = open_run.id AND calls.status = 'outcome_unknown'
        AND (${settlement.to} <> 'approved' OR open_run.status NOT IN ('complete', 'failed', 'cancelled'))
      RETURNING calls.id
    ), woken AS (
      UPDATE runs SET wakes = wakes + 1, wake_at = ${at}, updated_at = ${at} FROM moved
      WHERE runs.id = ${settlement.runId} AND runs.status NOT IN ('complete', 'failed', 'cancelled')
    ), logged AS (${event})
    SELECT id FROM moved`;
  await pause("settle-call:after-commit", settlement.callId);
  return rows.length > 0;
}

/**
 * Keeps a call that people let through and of which nothing left, because its server is away: it is still approved, and says how often it was
 * tried and until when it waits. Or gives it up, when it was tried often enough.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import type { ServerWait } from "@/lib/store/queries/load-run";

/** `refundUsd` is what the call was charged for this try. Lost when another worker has the run, or the call is no longer to be sent. */
export async function keepForServer(db: Statements, lease: Lease, { callId, refundUsd, wait }: { callId: string; refundUsd: number; wait: ServerWait }, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent({ chainId: lease.runId, type: "call.not_sent", at, actor: SYSTEM_ACTOR, data: { call_id: callId, code: wait.code, tries: wait.tries, until: wait.until } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at}, cost_usd = greatest(cost_usd - ${refundUsd}, 0) WHERE ${heldBy(lease)} RETURNING id),
    moved AS (
      UPDATE calls SET status = 'approved', executing_at = NULL, error = ${JSON.stringify(wait)}::jsonb FROM held
      WHERE calls.id = ${callId} AND calls.run_id = held.id AND (calls.status = 'approved' OR (calls.status = 'executing' AND calls.epoch = ${lease.epoch}))
      RETURNING calls.id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return toOutcome(rows);
}

/** Ends a call that was not even begun: nothing of it left. Lost as above. */
export async function giveUpOnServer(db: Statements, lease: Lease, { callId, error }: { callId: string; error: { code: string; message: string } }, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent({ chainId: lease.runId, type: "call.failed", at, actor: SYSTEM_ACTOR, data: { call_id: callId, code: error.code } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at} WHERE ${heldBy(lease)} RETURNING id),
    moved AS (
      UPDATE calls SET status = 'failed', error = ${JSON.stringify(error)}::jsonb, completed_at = ${at} FROM held
      WHERE calls.id = ${callId} AND calls.run_id = held.id AND calls.status = 'approved'
      RETURNING calls.id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return toOutcome(rows);
}

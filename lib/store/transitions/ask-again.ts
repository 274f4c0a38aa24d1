/**
 * Takes back a grant that no longer fits (another definition, a stricter rule, an approver who was shut out) and asks people anew,
 * or refuses the call outright. The old approval stays on record as it was decided.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
import { insertEvents, type NewEvent } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import type { NewApproval } from "@/lib/store/transitions/record-turn";
import { pause } from "@/lib/pause";

export interface AskAgain {
  callId: string;
  why: string;
  trace: unknown;
  danger: string;
  definitionFingerprint: string | null;
  /** As they would be sent, and as they are shown. */
  argumentsCanonical: string;
  arguments: unknown;
  digest: string;
  summary: string;
  /** Null: the call is refused. */
  approval: NewApproval | null;
  error: { code: string; message: string } | null;
}

export async function askAgainRow(db: Statements, lease: Lease, ask: AskAgain, at: Date): Promise<LeaseOutcome> {
  const { approval } = ask;
  const event = (type: string, data: NewEvent["data"]): NewEvent => ({ chainId: lease.runId, type, at, actor: SYSTEM_ACTOR, data });
  const events = [
    event(approval ? "call.asked_again" : "call.denied", { call_id: ask.callId, why: ask.why }),
    ...(approval ? [event("approval.requested", { approval_id: approval.id, call_id: ask.callId, digest: approval.digest, min_approvals: approval.minApprovals })] : []),
  ];
  const asked = approval
    ? Prisma.sql`, asked AS (
        INSERT INTO approvals (id, call_id, run_id, step_id, workflow, agent, server, tool, danger, summary, digest, rule, approvers, min_approvals,
          self_approval, editable, on_reject, timeout_behavior, escalate_to, expires_at, escalate_at, created_at)
        SELECT ${approval.id}, moved.id, ${lease.runId}, ${approval.stepId}, ${approval.workflow}, ${approval.agent}, ${approval.server}, ${approval.tool},
          ${approval.danger}::danger, ${approval.summary}, ${approval.digest}, ${JSON.stringify(approval.rule)}::jsonb, ${approval.approvers}::text[], ${approval.minApprovals},
          ${approval.selfApproval}, ${approval.editable}, ${approval.onReject}::on_reject, ${approval.timeoutBehavior}::timeout_behavior, ${approval.escalateTo}::text[],
          ${approval.expiresAt}, ${approval.escalateAt}, ${at}
        FROM moved
      ), stepped AS (UPDATE steps SET status = 'pending_approval' FROM moved WHERE steps.id = ${approval.stepId} AND steps.status = 'running')`
    : Prisma.empty;
  await pause("judge-calls:before-commit", ask.callId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at} WHERE ${heldBy(lease)} RETURNING id),
    moved AS (
      UPDATE calls SET status = ${approval ? "pending_approval" : "denied"}::call_status, trace = ${JSON.stringify(ask.trace)}::jsonb, danger = ${ask.danger}::danger,
        definition_fingerprint = ${ask.definitionFingerprint}, arguments = ${JSON.stringify(ask.arguments)}::jsonb, arguments_canonical = ${ask.argumentsCanonical},
        digest = ${ask.digest}, summary = ${ask.summary}, error = ${ask.error ? JSON.stringify(ask.error) : null}::jsonb,
        completed_at = CASE WHEN ${approval === null} THEN ${at}::timestamptz END
      FROM held WHERE calls.id = ${ask.callId} AND calls.run_id = held.id AND calls.status = 'approved'
      RETURNING calls.id
    ) ${asked}, logged AS (${insertEvents(events, "moved")})
    SELECT id FROM moved`;
  await pause("judge-calls:after-commit", ask.callId);
  return toOutcome(rows);
}

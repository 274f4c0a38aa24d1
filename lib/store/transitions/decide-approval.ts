/**
 * One person's word on one approval: the decision, its effect on approval and call, the wake-up of the run and the event, in one
 * statement. The first way out of `pending` is final; whoever comes second, however close, gets null and has changed nothing.
 */
import type { Actor } from "@/lib/domain/actor";
import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { Statements } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/store/plan-anew";

export interface NewDecision {
  id: string;
  approvalId: string;
  runId: string;
  callId: string;
  userId: string;
  tokenId: string | null;
  verdict: "approved" | "rejected";
  comment: string | null;
  reason: string | null;
  /** Of the arguments that the person saw; another one on the row means that they saw something else. */
  digest: string;
  address: string | null;
  /** Set when the person changed the arguments. */
  edited: { canonical: string; shown: unknown; digest: string; summary: string } | null;
}

/** The approval as the decision left it. */
export interface DecidedRow {
  status: ApprovalStatus;
  approvals: number;
  digest: string;
  summary: string;
}

export async function decideApprovalRow(db: Statements, decision: NewDecision, actor: Actor, at: Date): Promise<DecidedRow | null> {
  const { edited } = decision;
  const rejected = decision.verdict === "rejected";
  const data = {
    approval_id: decision.approvalId,
    call_id: decision.callId,
    verdict: decision.verdict,
    digest: edited?.digest ?? decision.digest,
    edited: edited !== null,
    reason: decision.reason,
    comment: decision.comment,
    user_id: decision.userId,
  };
  const event = insertEvent({ chainId: decision.runId, type: "approval.decided", at, actor, data }, "moved");
  await pause("decide-approval:before-commit", decision.approvalId);
  const rows = await db.$queryRaw<DecidedRow[]>`
    ${PLAN_ONCE}WITH open_run AS MATERIALIZED (
      SELECT id FROM runs WHERE id = ${decision.runId} AND status NOT IN ('complete', 'failed', 'cancelled') FOR UPDATE
    ), target AS MATERIALIZED (
      SELECT a.id, a.approvals, a.min_approvals FROM approvals a, open_run
      WHERE a.id = ${decision.approvalId} AND a.run_id = open_run.id AND a.status = 'pending' AND a.digest = ${decision.digest}
        AND (a.expires_at IS NULL OR a.expires_at > ${at}) AND (NOT ${edited !== null} OR a.approvals = 0)
      FOR UPDATE OF a
    ), decided AS (
      INSERT INTO decisions (id, approval_id, user_id, token_id, verdict, comment, reason, digest, arguments_canonical, address, created_at)
      SELECT ${decision.id}, target.id, ${decision.userId}, ${decision.tokenId}, ${decision.verdict}::decision_verdict, ${decision.comment},
        ${decision.reason}, ${edited?.digest ?? decision.digest}, ${edited?.canonical ?? null}, ${decision.address}, ${at}
      FROM target ON CONFLICT (approval_id, user_id) DO NOTHING
      RETURNING approval_id
    ), moved AS (
      UPDATE approvals SET
        status = CASE WHEN ${rejected} THEN 'rejected' WHEN target.approvals + 1 >= target.min_approvals THEN 'approved' ELSE 'pending' END::approval_status,
        approvals = target.approvals + CASE WHEN ${rejected} THEN 0 ELSE 1 END, version = version + 1,
        digest = coalesce(${edited?.digest ?? null}, digest), summary = coalesce(${edited?.summary ?? null}, summary),
        decided_at = CASE WHEN ${rejected} OR target.approvals + 1 >= target.min_approvals THEN ${at}::timestamptz END
      FROM decided, target WHERE approvals.id = decided.approval_id AND target.id = approvals.id
      RETURNING approvals.id, approvals.status, approvals.approvals, approvals.digest, approvals.summary, approvals.call_id, approvals.run_id, approvals.step_id
    ), called AS (
      UPDATE calls SET
        status = CASE moved.status WHEN 'approved' THEN 'approved' WHEN 'rejected' THEN 'rejected' ELSE 'pending_approval' END::call_status,
        completed_at = CASE WHEN moved.status = 'rejected' THEN ${at}::timestamptz END,
        error = CASE WHEN moved.status = 'rejected' THEN ${JSON.stringify({ code: "rejected", message: decision.reason ?? "" })}::jsonb END,
        digest = coalesce(${edited?.digest ?? null}, calls.digest), summary = coalesce(${edited?.summary ?? null}, calls.summary),
        arguments_canonical = coalesce(${edited?.canonical ?? null}, arguments_canonical),
        arguments = coalesce(${edited ? JSON.stringify(edited.shown) : null}::jsonb, arguments)
      FROM moved WHERE calls.id = moved.call_id AND calls.status = 'pending_approval'
    ), stepped AS (
      UPDATE steps SET status = 'running' FROM moved
      WHERE moved.status <> 'pending' AND steps.id = moved.step_id AND steps.status = 'pending_approval'
        AND NOT EXISTS (SELECT 1 FROM approvals other WHERE other.run_id = moved.run_id AND other.step_id = moved.step_id AND other.status = 'pending' AND other.id <> moved.id)
    ), woken AS (
      UPDATE runs SET wakes = wakes + 1, wake_at = ${at}, updated_at = ${at} FROM moved WHERE runs.id = moved.run_id AND moved.status <> 'pending'
    ), logged AS (${event})
    SELECT status, approvals, digest, summary FROM moved`;
  await pause("decide-approval:after-commit", decision.approvalId);
  return rows[0] ?? null;
}

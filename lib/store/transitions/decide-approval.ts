/**
 * One person's word on one approval: the decision, its effect on approval and call, the wake-up of the run and the event, in one
 * statement. The first way out of `pending` is final; whoever comes second, however close, gets null and has changed nothing.
 *
 * Given a worker that has a place for the run, a decision that wakes it also claims it, and reads it: as it was before, because one statement
 * sees nothing of what it writes, with what the decision changed put in. That holds only for the version of the run that was read (by its
 * `xmin`), as in claim-run; of any other the run is woken, and claimed by whoever finds it.
 */
import { type Actor, SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { Statements } from "@/lib/store/client";
import { insertEvent, insertEventsAbout } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/store/plan-anew";
import { type CallRow, type RunSnapshot, runSnapshot, type StoredSnapshot, toSnapshot } from "@/lib/store/queries/load-run";
import { type ClaimOutcome, claimEvent, type Claimer } from "@/lib/store/transitions/claim-run";
import { waits } from "@/lib/store/waits-sql";

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

type DecidedCall = Pick<CallRow, "status" | "digest" | "argumentsCanonical" | "error">;

/** Without a claim all but the first four are null. */
type StoredDecision = DecidedRow & { epoch: number | null; wakes: number; call: DecidedCall; hasStepGoneOn: boolean } & StoredSnapshot;

export async function decideApprovalRow(db: Statements, decision: NewDecision, actor: Actor, claimer: Claimer | null, at: Date): Promise<{ row: DecidedRow | null; claim: ClaimOutcome }> {
  const { edited } = decision;
  const rejected = decision.verdict === "rejected";
  const { free, wake, event, answer } = claimer ? withClaim(decision, actor, claimer, at) : withoutClaim(decision, actor, at);
  await pause("decide-approval:before-commit", decision.approvalId);
  const [row] = await db.$queryRaw<StoredDecision[]>`
    ${PLAN_ONCE}WITH open_run AS MATERIALIZED (
      SELECT id, status, lease_owner, xmin AS version FROM runs WHERE id = ${decision.runId} AND status NOT IN ('complete', 'failed', 'cancelled') FOR UPDATE
    ), target AS MATERIALIZED (
      SELECT a.id, a.approvals, a.min_approvals FROM approvals a, open_run
      WHERE a.id = ${decision.approvalId} AND a.run_id = open_run.id AND ${waits("a")} AND a.digest = ${decision.digest}
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
      RETURNING calls.status, calls.digest, calls.arguments_canonical AS "argumentsCanonical", calls.error
    ), stepped AS (
      UPDATE steps SET status = 'running' FROM moved
      WHERE moved.status <> 'pending' AND steps.id = moved.step_id AND steps.status = 'pending_approval'
        AND NOT EXISTS (SELECT 1 FROM approvals other WHERE other.run_id = moved.run_id AND other.step_id = moved.step_id AND ${waits("other")} AND other.id <> moved.id)
      RETURNING steps.id
    ), ${free} woken AS (${wake}), logged AS (${event})
    SELECT moved.status, moved.approvals, moved.digest, moved.summary ${answer}`;
  await pause("decide-approval:after-commit", decision.approvalId);
  if (!row) return { row: null, claim: { kind: "lost" } };
  const { epoch, wakes, call, hasStepGoneOn, run, steps, turns, calls, ...decided } = row;
  if (!claimer || epoch === null) return { row: decided, claim: { kind: "lost" } };
  const snapshot = afterDecision(toSnapshot({ run: { ...run, wakes }, steps, turns, calls }), decision, { status: decided.status, call, hasStepGoneOn });
  return { row: decided, claim: { kind: "claimed", lease: { runId: decision.runId, owner: claimer.owner, epoch }, wakes, snapshot } };
}

interface Parts {
  free: Prisma.Sql;
  wake: Prisma.Sql;
  event: Prisma.Sql;
  answer: Prisma.Sql;
}

function withoutClaim(decision: NewDecision, actor: Actor, at: Date): Parts {
  return {
    free: Prisma.empty,
    wake: Prisma.sql`UPDATE runs SET wakes = wakes + 1, wake_at = ${at}, updated_at = ${at} FROM moved WHERE runs.id = moved.run_id AND moved.status <> 'pending'`,
    event: insertEvent(decidedEvent(decision, actor, at), "moved"),
    answer: Prisma.sql`, NULL::int AS epoch FROM moved`,
  };
}

/** A run that nobody has is claimed, in the version that is read here. */
function withClaim(decision: NewDecision, actor: Actor, { owner, leaseMs }: Claimer, at: Date): Parts {
  const { runId } = decision;
  const resumed = { chainId: runId, ...claimEvent({ id: runId, status: "pending_approval", leaseOwner: null }, owner), at, actor: SYSTEM_ACTOR };
  return {
    free: Prisma.sql`free AS (
      SELECT open_run.id FROM open_run, moved
      WHERE moved.status <> 'pending' AND open_run.status = 'pending_approval' AND open_run.lease_owner IS NULL AND open_run.version = (SELECT xmin FROM runs WHERE id = ${runId})
    ),`,
    wake: Prisma.sql`UPDATE runs SET wakes = wakes + 1, updated_at = ${at}, wake_at = CASE WHEN free.id IS NULL THEN ${at}::timestamptz END,
        status = CASE WHEN free.id IS NULL THEN runs.status ELSE 'running' END, lease_owner = CASE WHEN free.id IS NULL THEN lease_owner ELSE ${owner} END,
        lease_until = CASE WHEN free.id IS NULL THEN lease_until ELSE ${new Date(at.getTime() + leaseMs)}::timestamptz END, epoch = epoch + CASE WHEN free.id IS NULL THEN 0 ELSE 1 END
      FROM moved LEFT JOIN free ON free.id = moved.run_id WHERE runs.id = moved.run_id AND moved.status <> 'pending'
      RETURNING runs.epoch, runs.wakes, free.id AS claimed`,
    event: insertEventsAbout([{ about: null, event: decidedEvent(decision, actor, at) }, { about: runId, event: resumed }], "moved", Prisma.sql`SELECT claimed FROM woken`),
    answer: Prisma.sql`, taken.epoch, taken.wakes, (SELECT to_json(called) FROM called) AS call, EXISTS (SELECT 1 FROM stepped) AS "hasStepGoneOn", seen.run, seen.steps, seen.turns, seen.calls
    FROM moved LEFT JOIN woken AS taken ON taken.claimed IS NOT NULL LEFT JOIN LATERAL (SELECT ${runSnapshot(runId)} WHERE taken.claimed IS NOT NULL) AS seen ON true`,
  };
}

function decidedEvent(decision: NewDecision, actor: Actor, at: Date) {
  const { edited } = decision;
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
  return { chainId: decision.runId, type: "approval.decided", at, actor, data };
}

/** The rows as they were, with what the decision changed of them. */
function afterDecision(before: RunSnapshot, { approvalId, callId, verdict, reason, edited }: NewDecision, { status, call, hasStepGoneOn }: { status: ApprovalStatus; call: DecidedCall; hasStepGoneOn: boolean }): RunSnapshot {
  const stepId = before.calls.find(({ id }) => id === callId)?.stepId;
  const decide = (approval: CallRow["approval"]) =>
    approval?.id === approvalId ? { ...approval, status, reason: verdict === "rejected" ? reason : approval.reason, edited: approval.edited || edited !== null } : approval;
  return {
    ...before,
    steps: before.steps.map((step) => (hasStepGoneOn && step.id === stepId ? { ...step, status: "running" } : step)),
    calls: before.calls.map((row) => (row.id === callId ? { ...row, ...call, approval: decide(row.approval) } : row)),
  };
}

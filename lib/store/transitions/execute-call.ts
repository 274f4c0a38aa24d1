/**
 * The two commits around a tool call. `beginExecuting` is the one way from `approved` to `executing`, before any byte leaves; it
 * refuses when the grant is not there, was for other arguments, or everything is paused. `recordResult` ends it. A call that was
 * left `executing` by a worker that died is begun again only if it may be sent twice; `markUnknown` is for the others.
 */
import type { EventData } from "@/lib/domain/audit-event";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Statement, Statements } from "@/lib/store/client";
import { budgetWarning } from "@/lib/store/budget-warning-sql";
import { mayDecide } from "@/lib/store/eligible-sql";
import { insertEvent, type NewEvent, withId } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import { pause } from "@/lib/pause";
import type { ResultPiece, RunLine } from "@/lib/store/run-line";

/** The call as the worker knows it: what it is about to send must be what is on record, and what was granted. */
export interface Execution {
  id: string;
  server: string;
  tool: string;
  argumentsCanonical: string;
  digest: string;
  costUsd: number;
  /** The limit that the policy judged it by: what the run's tools have cost so far and its own cost must fit. */
  budgetUsd?: number | null;
  /** The same worker sends it once more, because no answer came: only what may be sent twice. */
  isResend?: boolean;
}

export type BeginOutcome = { kind: "done" } | { kind: "lost" } | { kind: "refused"; why: "not_approved" | "paused" } | { kind: "refused"; why: "budget"; usedUsd: number; limitUsd: number };

export async function beginExecuting(db: Statements, lease: Lease, call: Execution, at: Date): Promise<BeginOutcome> {
  const event = insertEvent(
    { chainId: lease.runId, type: "call.executing", at, actor: SYSTEM_ACTOR, data: { call_id: call.id, digest: call.digest, epoch: lease.epoch } },
    "moved",
  );
  const { over, spent } = chargeFor(lease, call, at);
  await pause("dispatch-call:before-executing-commit", call.id);
  const [row] = await db.$queryRaw<{ held: boolean; moved: boolean; paused: boolean; used: number | null; limit: number | null }[]>`
    WITH held AS MATERIALIZED (
      SELECT id, cost_usd, cost_usd + cost_reserved_usd AS used, cost_budget_usd AS "limit" FROM runs WHERE ${heldBy(lease)} FOR UPDATE
    ), ${over} stopped AS (SELECT 1 FROM settings WHERE key = 'dispatch.paused' AND value = 'true'::jsonb),
    lapsed AS (${lapsedGrant(call)}),
    moved AS (
      UPDATE calls SET status = 'executing', executing_at = ${at}, epoch = ${lease.epoch}, attempt = attempt + 1, error = NULL
      FROM held
      WHERE calls.id = ${call.id} AND calls.run_id = held.id AND calls.digest = ${call.digest}
        AND calls.server = ${call.server} AND calls.tool = ${call.tool} AND calls.arguments_canonical = ${call.argumentsCanonical}
        AND (calls.status = 'approved' OR (calls.status = 'executing' AND calls.retry_safe AND (calls.epoch < ${lease.epoch} OR ${call.isResend ?? false})))
        AND NOT EXISTS (SELECT 1 FROM over) AND NOT EXISTS (SELECT 1 FROM stopped) AND NOT EXISTS (SELECT 1 FROM lapsed)
      RETURNING calls.id
    ), ${spent} logged AS (${event})
    SELECT EXISTS (SELECT 1 FROM held) AS held, EXISTS (SELECT 1 FROM moved) AS moved, EXISTS (SELECT 1 FROM stopped) AS paused,
      (SELECT used::float8 FROM over) AS used, (SELECT "limit"::float8 FROM over) AS "limit"`;
  await pause("dispatch-call:after-executing-commit", call.id);
  if (row?.moved) return { kind: "done" };
  if (!row?.held) return { kind: "lost" };
  if (row.paused) return { kind: "refused", why: "paused" };
  return row.used === null || row.limit === null ? { kind: "refused", why: "not_approved" } : { kind: "refused", why: "budget", usedUsd: row.used, limitUsd: row.limit };
}

/** What holds a call to the budgets, and what charges it. Most tools cost nothing, and their statement is spared both. */
function chargeFor(lease: Lease, { costUsd, budgetUsd = null }: Execution, at: Date): { over: Prisma.Sql; spent: Prisma.Sql } {
  if (costUsd === 0) return { over: Prisma.sql`over AS (SELECT 0 AS used, 0 AS "limit" WHERE false),`, spent: Prisma.empty };
  const cost = Prisma.sql`${costUsd}::numeric`;
  const budget = Prisma.sql`${budgetUsd}::numeric`;
  return {
    over: Prisma.sql`limits AS (
      SELECT used, "limit" FROM held
      UNION ALL SELECT cost_usd - (SELECT coalesce(sum(t.cost_usd), 0) FROM turns t WHERE t.run_id = held.id), ${budget} FROM held WHERE ${budget} IS NOT NULL
    ), over AS (SELECT used, "limit" FROM limits WHERE used + ${cost} > "limit" LIMIT 1),`,
    spent: Prisma.sql`spent AS (
      UPDATE runs SET cost_usd = cost_usd + ${cost} FROM moved WHERE runs.id = ${lease.runId}
      RETURNING runs.cost_usd AS spent_usd, runs.cost_budget_usd AS budget_usd
    ), ${budgetWarning(lease.runId, "spent", costUsd, at)}`,
  };
}

/**
 * A row when people were asked about the call and their newest answer does not carry it: it was for something else, or too few of
 * those who approved may still decide. Decisions are never changed, so their digest says what they saw.
 */
function lapsedGrant(call: Execution): Prisma.Sql {
  return Prisma.sql`
    SELECT 1 FROM (SELECT * FROM approvals WHERE call_id = ${call.id} ORDER BY id DESC LIMIT 1) AS a
    WHERE a.status <> 'approved' OR a.digest <> ${call.digest} OR a.server <> ${call.server} OR a.tool <> ${call.tool}
      OR a.min_approvals > (
        SELECT count(*) FROM decisions d JOIN users u ON u.id = d.user_id
        WHERE d.approval_id = a.id AND d.verdict = 'approved' AND d.digest = ${call.digest} AND ${mayDecide(Prisma.sql`a.approvers`)})`;
}

export interface CallResult {
  callId: string;
  status: "succeeded" | "failed" | "outcome_unknown";
  result: unknown;
  error: { code: string; message: string } | null;
  durationMs: number;
  /** What the call would have cost, when it is certain that it was not sent. */
  refundUsd?: number;
}

export async function recordResult(line: RunLine, lease: Lease, result: CallResult, at: Date): Promise<LeaseOutcome> {
  await pause("dispatch-call:before-result-commit", result.callId);
  const rows = await line.put({ kind: "result", lease, result, event: resultEvent(lease, result, at), at });
  await pause("dispatch-call:after-result-commit", result.callId);
  return toOutcome(rows);
}

/** A result that nothing follows upon at once. */
export function resultStatement(piece: ResultPiece): Statement {
  const { lease, result, event, at } = piece;
  return Prisma.sql`
    WITH held AS (UPDATE runs SET updated_at = ${at}, cost_usd = greatest(cost_usd - ${result.refundUsd ?? 0}, 0) WHERE ${heldBy(lease)} RETURNING id),
    moved AS (${updateCalls([piece])}), logged AS (${insertEvent(event, "moved")})
    SELECT id FROM moved`;
}

/** The part of a statement that keeps results; `held` is a CTE with the run's id, under its lease. */
export function updateCalls(results: readonly ResultPiece[]): Prisma.Sql {
  const rows = results.map(
    ({ lease, result, at }) => Prisma.sql`(${result.callId}, ${result.status}::call_status, ${JSON.stringify(result.result ?? null)}::jsonb,
        ${result.error ? JSON.stringify(result.error) : null}::jsonb, ${result.status === "outcome_unknown" ? null : at}::timestamptz, ${lease.epoch}::int)`,
  );
  return Prisma.sql`
      UPDATE calls SET status = r.status, result = r.result, error = r.error, completed_at = r.completed_at
      FROM held, (VALUES ${Prisma.join(rows)}) AS r (id, status, result, error, completed_at, epoch)
      WHERE calls.id = r.id AND calls.run_id = held.id AND calls.status = 'executing' AND calls.epoch = r.epoch
      RETURNING calls.id`;
}

function resultEvent(lease: Lease, result: CallResult, at: Date): NewEvent {
  const data: EventData = { call_id: result.callId, duration_ms: result.durationMs, ...(result.error ? { code: result.error.code } : {}) };
  return withId({ chainId: lease.runId, type: `call.${result.status}`, at, actor: SYSTEM_ACTOR, data });
}

/** A call that could not be sent at all goes back to `approved` for another try later, or fails: nothing reached the server. */
export async function unsend(db: Statements, lease: Lease, { callId, refundUsd }: { callId: string; refundUsd: number }, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent({ chainId: lease.runId, type: "call.not_sent", at, actor: SYSTEM_ACTOR, data: { call_id: callId } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at}, cost_usd = greatest(cost_usd - ${refundUsd}, 0) WHERE ${heldBy(lease)} RETURNING id),
    moved AS (
      UPDATE calls SET status = 'approved', executing_at = NULL FROM held
      WHERE calls.id = ${callId} AND calls.run_id = held.id AND calls.status = 'executing' AND calls.epoch = ${lease.epoch}
      RETURNING calls.id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return toOutcome(rows);
}

export async function markUnknown(db: Statements, lease: Lease, callId: string, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent({ chainId: lease.runId, type: "call.outcome_unknown", at, actor: SYSTEM_ACTOR, data: { call_id: callId } }, "moved");
  await pause("rescue-run:before-commit", callId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at} WHERE ${heldBy(lease)} RETURNING id),
    moved AS (
      UPDATE calls SET status = 'outcome_unknown' FROM held
      WHERE calls.id = ${callId} AND calls.run_id = held.id AND calls.status = 'executing' AND calls.epoch < ${lease.epoch}
      RETURNING calls.id
    ), logged AS (${event})
    SELECT id FROM moved`;
  await pause("rescue-run:after-commit", callId);
  return toOutcome(rows);
}

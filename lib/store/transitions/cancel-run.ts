/**
 * Ends a run by a person's word, at any moment: what waits is withdrawn, what was not sent is never sent. The epoch is raised, so
 * that a worker that is at it right now can write nothing more; a call that is executing becomes unknown, because its answer will
 * not be recorded; a sub-agent was within this system, and is known to have ended. False when the run was over already.
 *
 * Each step, call and approval that is ended has its event. Which these are is read under the run's lock, which everything that moves
 * them takes first, and before the statement: it would not see what a worker has added while it waited for that lock.
 */
import type { Actor } from "@/lib/domain/actor";
import { AGENTS_SERVER, RUN_ENDED, SERVER_AWAY } from "@/lib/domain/call-state";
import type { Db } from "@/lib/store/client";
import { insertManyEventsAbout } from "@/lib/store/event-sql";
import type { Prisma } from "@/lib/store/generated/client";
import { ENDED_IDS, type LeftOpen, leftOpenEvents } from "@/lib/store/left-open-sql";
import { pause } from "@/lib/pause";
import { waits } from "@/lib/store/waits-sql";

export interface Cancellation {
  runId: string;
  reason: string | null;
}

/** A worker holds the lock for one commit at a time. */
const TRANSACTION_TIMEOUT_MS = 20_000;

export async function cancelRunRow(db: Db, cancel: Cancellation, actor: Actor, at: Date): Promise<boolean> {
  await pause("cancel-run:before-commit", cancel.runId);
  const done = await db.$transaction(
    async (tx) => {
      const locked = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM runs WHERE id = ${cancel.runId} AND status NOT IN ('complete', 'failed', 'cancelled') FOR UPDATE`;
      if (locked.length === 0) return false;
      await endRun(tx, cancel, await readLeftOpen(tx, cancel.runId), actor, at);
      return true;
    },
    { timeout: TRANSACTION_TIMEOUT_MS, maxWait: TRANSACTION_TIMEOUT_MS },
  );
  await pause("cancel-run:after-commit", cancel.runId);
  return done;
}

async function readLeftOpen(tx: Prisma.TransactionClient, runId: string): Promise<LeftOpen> {
  const orderBy = { id: "asc" } as const;
  const steps = await tx.step.findMany({ where: { runId, status: { in: ["pending", "running", "pending_approval", "needs_human_review"] } }, orderBy, select: { id: true, key: true } });
  const calls = await tx.call.findMany({
    where: { runId, status: { in: ["requested", "approved", "pending_approval", "executing"] } },
    orderBy,
    select: { id: true, stepId: true, server: true, tool: true, status: true },
  });
  const approvals = await tx.approval.findMany({ where: { runId, status: "pending" }, orderBy, select: { id: true, callId: true } });
  return { steps, calls, approvals };
}

async function endRun(tx: Prisma.TransactionClient, { runId, reason }: Cancellation, open: LeftOpen, actor: Actor, at: Date): Promise<void> {
  const cancelled = { about: null, event: { chainId: runId, type: "run.cancelled", at, actor, data: { reason } } };
  const events = insertManyEventsAbout([...leftOpenEvents(runId, open, actor, at), cancelled], "moved", ENDED_IDS);
  await tx.$queryRaw`
    WITH moved AS (
      UPDATE runs SET status = 'cancelled', completed_at = ${at}, updated_at = ${at}, lease_owner = NULL, lease_until = NULL, wake_at = NULL,
        epoch = epoch + 1, wakes = wakes + 1, secrets = NULL, cost_reserved_usd = 0
      WHERE id = ${runId} AND status NOT IN ('complete', 'failed', 'cancelled')
      RETURNING id
    ), steps_ended AS (
      UPDATE steps SET status = 'cancelled', completed_at = ${at} FROM moved
      WHERE steps.run_id = moved.id AND steps.status IN ('pending', 'running', 'pending_approval', 'needs_human_review')
      RETURNING steps.id
    ), calls_ended AS (
      UPDATE calls SET status = CASE WHEN calls.status <> 'executing' THEN 'cancelled' WHEN calls.server = ${AGENTS_SERVER} THEN 'failed' ELSE 'outcome_unknown' END::call_status,
        error = CASE WHEN calls.server = ${AGENTS_SERVER} AND calls.status = 'executing' THEN ${JSON.stringify(RUN_ENDED)}::jsonb WHEN calls.error ->> 'code' = ${SERVER_AWAY} THEN NULL ELSE calls.error END,
        completed_at = CASE WHEN calls.status <> 'executing' OR calls.server = ${AGENTS_SERVER} THEN ${at}::timestamptz END
      FROM moved WHERE calls.run_id = moved.id AND calls.status IN ('requested', 'approved', 'pending_approval', 'executing')
      RETURNING calls.id
    ), approvals_ended AS (
      UPDATE approvals SET status = 'cancelled', decided_at = ${at}, version = version + 1 FROM moved
      WHERE approvals.run_id = moved.id AND ${waits("approvals")}
      RETURNING approvals.id
    ), logged AS (${events})
    SELECT id FROM moved`;
}

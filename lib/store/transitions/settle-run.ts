/**
 * Ends a run: complete with its output, or failed with its error; the step whose end brought it about ends with it. Steps and calls that
 * never began are cancelled, each with its event. Nothing is open that the worker does not know of, because nobody else adds to a run; what
 * others have ended meanwhile has its event already.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { AGENTS_SERVER, RUN_ENDED } from "@/lib/domain/call-state";
import type { Statements } from "@/lib/store/client";
import { insertEvents, insertEventsAbout, type NewEvent } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import { ENDED_IDS, type LeftOpen, leftOpenEvents } from "@/lib/store/left-open-sql";
import { pause } from "@/lib/pause";
import { stepEvent, type StepMove, stepUpdate } from "@/lib/store/transitions/settle-step";

export type RunEnd = { status: "complete"; output: unknown } | { status: "failed"; error: RunError };

export interface RunError {
  code: string;
  message: string;
  step?: string;
}

export type SettledRun = RunEnd & {
  lastStep: StepMove | null;
  /** As the worker knows it. */
  leftOpen: LeftOpen;
};

export async function settleRunRow(db: Statements, lease: Lease, end: SettledRun, activeMs: number, at: Date): Promise<LeaseOutcome> {
  const { lastStep } = end;
  const error = end.status === "failed" ? end.error : null;
  const ended: NewEvent = { chainId: lease.runId, type: `run.${end.status === "complete" ? "completed" : "failed"}`, at, actor: SYSTEM_ACTOR, data: error ? { code: error.code, message: error.message } : {} };
  const events = eventsOf([...(lastStep ? [stepEvent(lease.runId, lastStep, at)] : []), ended], leftOpenEvents(lease.runId, end.leftOpen, SYSTEM_ACTOR, at));
  const lastMoved = lastStep ? Prisma.sql`last_moved AS (${stepUpdate(lastStep, at, "moved")}),` : Prisma.empty;
  await pause("settle-run:before-commit", lease.runId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE runs SET status = ${end.status}::run_status, error = ${error ? JSON.stringify(error) : null}::jsonb,
        output = ${end.status === "complete" ? JSON.stringify(end.output ?? null) : null}::jsonb,
        lease_owner = NULL, lease_until = NULL, wake_at = NULL, secrets = NULL, cost_reserved_usd = 0,
        active_ms = active_ms + ${activeMs}, completed_at = ${at}, updated_at = ${at}
      WHERE ${heldBy(lease)}
      RETURNING id
    ), ${lastMoved} steps_ended AS (
      UPDATE steps SET status = 'cancelled', completed_at = ${at} FROM moved
      WHERE steps.run_id = moved.id AND steps.id <> ${lastStep?.stepId ?? ""} AND steps.status IN ('pending', 'running', 'pending_approval', 'needs_human_review')
      RETURNING steps.id
    ), calls_ended AS (
      UPDATE calls SET status = CASE WHEN calls.status = 'executing' THEN 'failed' ELSE 'cancelled' END::call_status, completed_at = ${at},
        error = CASE WHEN calls.status = 'executing' THEN ${JSON.stringify(RUN_ENDED)}::jsonb ELSE calls.error END
      FROM moved
      WHERE calls.run_id = moved.id AND (calls.status IN ('requested', 'approved', 'pending_approval') OR (calls.status = 'executing' AND calls.server = ${AGENTS_SERVER}))
      RETURNING calls.id
    ), approvals_ended AS (
      UPDATE approvals SET status = 'cancelled', decided_at = ${at}, version = version + 1 FROM moved
      WHERE approvals.run_id = moved.id AND approvals.status = 'pending'
      RETURNING approvals.id
    ), logged AS (${events})
    SELECT id FROM moved`;
  await pause("settle-run:after-commit", lease.runId);
  return toOutcome(rows);
}

/** Most runs leave nothing open, and their statement is the one that is kept prepared. */
function eventsOf(own: NewEvent[], left: ReturnType<typeof leftOpenEvents>): Prisma.Sql {
  if (left.length === 0) return insertEvents(own, "moved");
  const first = own.slice(0, -1).map((event) => ({ about: null, event }));
  const last = own.slice(-1).map((event) => ({ about: null, event }));
  return insertEventsAbout([...first, ...left, ...last], "moved", ENDED_IDS);
}

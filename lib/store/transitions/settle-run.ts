/**
 * Ends a run: complete with its output, or failed with its error; the step whose end brought it about ends with it. Steps and calls that
 * never began are cancelled, each with its event. Nothing is open that the worker does not know of, because nobody else adds to a run; what
 * others have ended meanwhile has its event already. The statement is put together in write-run.ts.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { AGENTS_SERVER, RUN_ENDED, SERVER_AWAY } from "@/lib/domain/call-state";
import { type NewEvent, type PlacedEvent, withId } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import { type LeftOpen, leftOpenEvents } from "@/lib/store/left-open-sql";
import { pause } from "@/lib/pause";
import type { EndPiece, RunLine } from "@/lib/store/run-line";
import { stepEvent, type StepMove } from "@/lib/store/transitions/settle-step";
import { waits } from "@/lib/store/waits-sql";

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

export async function settleRunRow(line: RunLine, lease: Lease, end: SettledRun, activeMs: number, at: Date): Promise<LeaseOutcome> {
  await pause("settle-run:before-commit", lease.runId);
  const rows = await line.put({ kind: "end", lease, end, activeMs, events: eventsOf(lease, end, at), at });
  await pause("settle-run:after-commit", lease.runId);
  return toOutcome(rows);
}

/** What of the run's row changes. */
export function endColumns({ end, activeMs, at }: EndPiece): Prisma.Sql[] {
  const error = end.status === "failed" ? JSON.stringify(end.error) : null;
  const output = end.status === "complete" ? JSON.stringify(end.output ?? null) : null;
  return [
    Prisma.sql`status = ${end.status}::run_status, error = ${error}::jsonb, output = ${output}::jsonb, lease_owner = NULL, lease_until = NULL, wake_at = NULL, secrets = NULL,
        cost_reserved_usd = 0, active_ms = active_ms + ${activeMs}, completed_at = ${at}`,
  ];
}

/** What is still open ends with the run; `resulted` are calls that end in this statement by their own result. */
export function endRest({ end: { lastStep }, at }: EndPiece, resulted: string[]): Prisma.Sql[] {
  return [
    Prisma.sql`steps_ended AS (
      UPDATE steps SET status = 'cancelled', completed_at = ${at} FROM held
      WHERE steps.run_id = held.id AND steps.id <> ${lastStep?.stepId ?? ""} AND steps.status IN ('pending', 'running', 'pending_approval', 'needs_human_review')
      RETURNING steps.id
    )`,
    Prisma.sql`calls_ended AS (
      UPDATE calls SET status = CASE WHEN calls.status = 'executing' THEN 'failed' ELSE 'cancelled' END::call_status, completed_at = ${at},
        error = CASE WHEN calls.status = 'executing' THEN ${JSON.stringify(RUN_ENDED)}::jsonb WHEN calls.error ->> 'code' = ${SERVER_AWAY} THEN NULL ELSE calls.error END
      FROM held
      WHERE calls.run_id = held.id AND calls.id <> ALL (${resulted}::text[])
        AND (calls.status IN ('requested', 'approved', 'pending_approval') OR (calls.status = 'executing' AND calls.server = ${AGENTS_SERVER}))
      RETURNING calls.id
    )`,
    Prisma.sql`approvals_ended AS (
      UPDATE approvals SET status = 'cancelled', decided_at = ${at}, version = version + 1 FROM held
      WHERE approvals.run_id = held.id AND ${waits("approvals")}
      RETURNING approvals.id
    )`,
  ];
}

/** In this order: the last step's end, what is ended with the run, the run's end. */
export interface EndEvents {
  last: PlacedEvent[];
  left: PlacedEvent[];
  ended: PlacedEvent[];
}

function eventsOf(lease: Lease, end: SettledRun, at: Date): EndEvents {
  const { lastStep } = end;
  const data: NewEvent["data"] = end.status === "failed" ? { code: end.error.code, message: end.error.message } : {};
  const ended: NewEvent = { chainId: lease.runId, type: `run.${end.status === "complete" ? "completed" : "failed"}`, at, actor: SYSTEM_ACTOR, data };
  const place = ({ about, event }: PlacedEvent): PlacedEvent => ({ about, event: withId(event) });
  return {
    last: lastStep ? [place({ about: null, event: stepEvent(lease.runId, lastStep, at) })] : [],
    left: leftOpenEvents(lease.runId, end.leftOpen, SYSTEM_ACTOR, at).map(place),
    ended: [place({ about: null, event: ended })],
  };
}

/** Moves a step under the run's lease: begins it, ends it, or sends it to a person. Its event is written with it. */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { STEP_TRANSITIONS, type StepStatus } from "@/lib/domain/step-state";
import type { Statements } from "@/lib/store/client";
import { insertEvent, type NewEvent } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import { pause } from "@/lib/pause";

export interface StepMove {
  stepId: string;
  key: string;
  to: StepStatus;
  input?: unknown;
  output?: unknown;
  rawOutput?: unknown;
  error?: { code: string; message: string; [detail: string]: unknown } | null;
  degraded?: boolean;
  state?: object;
}

const ENDED: readonly StepStatus[] = ["complete", "failed", "skipped", "cancelled"];
const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

export async function moveStep(db: Statements, lease: Lease, move: StepMove, at: Date): Promise<LeaseOutcome> {
  const event = insertEvent(stepEvent(lease.runId, move, at), "moved");
  await pause("settle-step:before-commit", move.stepId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at} WHERE ${heldBy(lease)} RETURNING id),
    moved AS (${stepUpdate(move, at, "held")}), logged AS (${event})
    SELECT id FROM moved`;
  await pause("settle-step:after-commit", move.stepId);
  return toOutcome(rows);
}

/** The part of a statement that moves the step; `held` is a CTE with the run's id, under its lease. */
export function stepUpdate(move: StepMove, at: Date, held: string): Prisma.Sql {
  const run = Prisma.raw(held);
  return Prisma.sql`UPDATE steps SET ${stepColumns(move, at)}
    FROM ${run}
    WHERE steps.id = ${move.stepId} AND steps.run_id = ${run}.id AND steps.status = ANY (${stepSources(move)}::step_status[])
    RETURNING steps.id`;
}

/** What of the step's row changes. */
export function stepColumns(move: StepMove, at: Date, { state = Prisma.sql`state`, startedAt = at } = {}): Prisma.Sql {
  return Prisma.sql`status = ${move.to}::step_status,
      input = coalesce(${json(move.input)}::jsonb, input), output = coalesce(${json(move.output)}::jsonb, output),
      raw_output = coalesce(${json(move.rawOutput)}::jsonb, raw_output), error = CASE WHEN ${move.to} IN ('complete', 'running') THEN NULL ELSE coalesce(${json(move.error)}::jsonb, error) END,
      degraded = degraded OR ${move.degraded ?? false}, state = ${state} || coalesce(${json(move.state)}::jsonb, '{}'::jsonb),
      started_at = coalesce(started_at, ${startedAt}), completed_at = CASE WHEN ${ENDED.includes(move.to)} THEN ${at}::timestamptz END`;
}

/** The states from which the step can be moved there. */
export const stepSources = ({ to }: StepMove): StepStatus[] => (Object.keys(STEP_TRANSITIONS) as StepStatus[]).filter((from) => STEP_TRANSITIONS[from].includes(to));

export function stepEvent(runId: string, move: StepMove, at: Date): NewEvent {
  const data = { step: move.key, step_id: move.stepId, ...(move.error ? { code: move.error.code, message: move.error.message } : {}), ...(move.degraded ? { degraded: true } : {}) };
  return { chainId: runId, type: `step.${move.to === "running" ? "started" : move.to}`, at, actor: SYSTEM_ACTOR, data };
}

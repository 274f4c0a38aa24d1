import { digestOutput } from "@/lib/domain/digest";
import type { RunStatus } from "@/lib/domain/run-state";
import type { StepStatus } from "@/lib/domain/step-state";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import { listPersonActs, type PersonAct } from "@/lib/store/queries/list-person-acts";
import { listReviewSteps } from "@/lib/store/queries/list-review-steps";
import { listUnsettledCalls } from "@/lib/store/queries/list-unsettled-calls";
import { shown } from "@/lib/store/queries/shown";
import { findStarters } from "@/lib/store/queries/starter-people";
import { sumPersonWaits } from "@/lib/store/queries/sum-person-waits";

export interface RunPage {
  id: string;
  workflow: string;
  version: string;
  configHash: string;
  status: RunStatus;
  /** Whether a step of it, at any depth, concluded without what it asked for. */
  degraded: boolean;
  error: { code: string; message: string; step?: string } | null;
  /** With the person behind a token or an agent. */
  startedBy: { kind: string; id: string; name: string; person: string | null };
  parentRunId: string | null;
  retryOfRunId: string | null;
  retriedAsRunId: string | null;
  /** Redacted, with what cannot be seen written out. */
  params: unknown;
  output: unknown;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  costBudgetUsd: number | null;
  llmCalls: number;
  toolCalls: number;
  workedMs: number;
  waitedMs: number;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
  /** Those of the pipeline itself; what stands below them is counted. */
  steps: RunPageStep[];
  counts: { approvals: number; pendingApprovals: number; events: number };
  /** Calls of which nobody knows what became of them. */
  unknownCalls: { id: string; server: string; tool: string; summary: string; stepId: string }[];
  /** What people did to it by their own word, newest first. */
  acts: PersonAct[];
  /** The first of the answers that a person must look at; the next one follows it. */
  review: { stepId: string; name: string; message: string; output: unknown; digest: string; others: number } | null;
}

export interface RunPageStep {
  id: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  agent: string | null;
  degraded: boolean;
  error: { code: string; message: string } | null;
  costUsd: number;
  llmCalls: number;
  toolCalls: number;
  startedAt: Date | null;
  completedAt: Date | null;
  /** Items of its fan-out, or steps of its sub-workflow. */
  children: { total: number; ended: number };
}

const UNKNOWN_SHOWN_MAX = 20;

/** What stands at the head of a run's page; its size does not grow with what the run did. Null when there is no such run. */
export async function findRunPage(db: Db, runId: string, now: Date): Promise<RunPage | null> {
  const run = await db.run.findUnique({ where: { id: runId }, omit: { secrets: true } });
  if (!run) return null;
  const [steps, children, approvals, pendingApprovals, lastEvent, waits, retry, unknownCalls, reviews, personBehind, degraded, acts] = await Promise.all([
    db.step.findMany({ where: { runId, parentId: null }, orderBy: { id: "asc" }, omit: { input: true, output: true, rawOutput: true, state: true } }),
    countChildren(db, runId),
    db.approval.count({ where: { runId } }),
    db.approval.count({ where: { runId, status: "pending" } }),
    // Places in a chain have no gaps, so the last one's is the number of events.
    db.event.findFirst({ where: { chainId: runId }, orderBy: { seq: "desc" }, select: { seq: true } }),
    sumPersonWaits(db, [runId], now),
    db.run.findFirst({ where: { retryOfRunId: runId }, orderBy: { id: "desc" }, select: { id: true } }),
    listUnsettledCalls(db, runId),
    listReviewSteps(db, runId),
    findStarters(db, [run]),
    db.step.findFirst({ where: { runId, degraded: true }, select: { id: true } }),
    listPersonActs(db, runId),
  ]);
  const [review] = reviews;
  const { startedByKind, startedById, startedByName, costUsd, costBudgetUsd, activeMs } = run;
  return {
    ...run,
    degraded: degraded !== null,
    error: shown(run.error as RunPage["error"]),
    startedBy: { kind: startedByKind, id: startedById, name: startedByName, person: personBehind(run) },
    retriedAsRunId: retry?.id ?? null,
    params: shown(run.params),
    output: shown(run.output),
    costUsd: Number(costUsd),
    costBudgetUsd: costBudgetUsd === null ? null : Number(costBudgetUsd),
    workedMs: activeMs,
    waitedMs: waits.get(runId) ?? 0,
    steps: steps.map((step) => ({ ...step, error: shown(step.error as RunPageStep["error"]), costUsd: Number(step.costUsd), children: children.get(step.id) ?? { total: 0, ended: 0 } })),
    counts: { approvals, pendingApprovals, events: lastEvent?.seq ?? 0 },
    unknownCalls: unknownCalls.slice(0, UNKNOWN_SHOWN_MAX).map(({ id, server, tool, summary, stepId }) => ({ id, server, tool, stepId, summary: showInvisible(summary) })),
    acts,
    review: review ? { stepId: review.id, name: review.name, message: showInvisible(review.message), output: shown(review.rawOutput), digest: digestOutput(review.rawOutput), others: reviews.length - 1 } : null,
  };
}

async function countChildren(db: Db, runId: string): Promise<Map<string, { total: number; ended: number }>> {
  const rows = await db.$queryRaw<{ parent_id: string; total: bigint; ended: bigint }[]>`
    SELECT parent_id, count(*) AS total, count(*) FILTER (WHERE completed_at IS NOT NULL) AS ended
    FROM steps WHERE run_id = ${runId} AND parent_id IS NOT NULL GROUP BY parent_id`;
  return new Map(rows.map((row) => [row.parent_id, { total: Number(row.total), ended: Number(row.ended) }]));
}

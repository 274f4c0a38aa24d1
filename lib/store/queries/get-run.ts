import type { RunStatus } from "@/lib/domain/run-state";
import type { StepStatus } from "@/lib/domain/step-state";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { type ApprovalView, listPendingOfRun } from "@/lib/store/queries/get-approval";
import { listReviewSteps, type ReviewStep } from "@/lib/store/queries/list-review-steps";
import { listUnsettledCalls, type UnsettledCall } from "@/lib/store/queries/list-unsettled-calls";
import { addFigures, type Figures, type RunFailure, type StartedBy, toFigures } from "@/lib/store/queries/run-view";

export interface RunStepView {
  /** The id in the YAML. */
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  output: unknown;
  error: RunFailure | null;
  degraded: boolean;
  /** With those of its items, sub-workflow and sub-agents. */
  figures: Figures;
  durationMs: number;
}

export interface RunView {
  id: string;
  workflow: string;
  version: string;
  configHash: string;
  status: RunStatus;
  error: RunFailure | null;
  startedBy: StartedBy;
  parentRunId: string | null;
  retryOfRunId: string | null;
  /** Secrets are names here. */
  params: Record<string, unknown>;
  output: unknown;
  /** The steps of the run's own pipeline, in its order. */
  steps: RunStepView[];
  pendingApprovals: ApprovalView[];
  /** Answers that wait for a person. */
  pendingReviews: ReviewStep[];
  /** Calls of which nobody knows whether they happened, until a person says it. */
  pendingSettlements: UnsettledCall[];
  figures: Figures;
  durationMs: number;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

/** One run as it stands: everything that the envelope shows. */
export async function getRun(db: Db, runId: string): Promise<RunView> {
  const row = await db.run.findUnique({ where: { id: runId }, omit: { secrets: true }, include: { steps: { orderBy: { id: "asc" }, omit: { input: true, rawOutput: true, state: true } } } });
  if (!row) throw new KimitsuError("not_found", `There is no run ${runId}.`);
  // What has not ended yet has lasted until the last thing that is on record of it.
  const until = row.completedAt ?? row.updatedAt;
  return {
    id: row.id,
    workflow: row.workflow,
    version: row.version,
    configHash: row.configHash,
    status: row.status,
    error: row.error as RunFailure | null,
    startedBy: { kind: row.startedByKind, id: row.startedById, name: row.startedByName },
    parentRunId: row.parentRunId,
    retryOfRunId: row.retryOfRunId,
    params: row.params as Record<string, unknown>,
    output: row.output,
    steps: row.steps.filter((step) => step.parentId === null).map((step) => toStepView(step, row.steps, until)),
    pendingApprovals: await listPendingOfRun(db, runId),
    pendingReviews: row.steps.some((step) => step.status === "needs_human_review") ? await listReviewSteps(db, runId) : [],
    pendingSettlements: await listUnsettledCalls(db, runId),
    figures: toFigures(row),
    durationMs: Math.max(until.getTime() - row.createdAt.getTime(), 0),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    completedAt: row.completedAt,
  };
}

type StepColumns = Omit<Prisma.StepGetPayload<object>, "input" | "rawOutput" | "state">;

function toStepView(step: StepColumns, all: readonly StepColumns[], until: Date): RunStepView {
  const { key, type, status, output, degraded, startedAt, completedAt } = step;
  const durationMs = startedAt ? Math.max((completedAt ?? until).getTime() - startedAt.getTime(), 0) : 0;
  return { key, type, status, output, error: step.error as RunFailure | null, degraded, figures: figuresBelow(step, all), durationMs };
}

function figuresBelow(step: StepColumns, all: readonly StepColumns[]): Figures {
  return addFigures([toFigures(step), ...all.filter((child) => child.parentId === step.id).map((child) => figuresBelow(child, all))]);
}

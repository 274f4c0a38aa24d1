import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import { missingRun } from "@/lib/audit/queries/missing-run";
import type { Db } from "@/lib/database/client";
import { type ApprovalView, viewsOf } from "@/lib/approvals/queries/get-approval";
import { readRun } from "@/lib/runs/queries/read-run";
import { reviewStepsOf, type ReviewStep } from "@/lib/runs/queries/list-review-steps";
import { type UnsettledCall, unsettledCallsOf } from "@/lib/runs/queries/list-unsettled-calls";
import { addFigures, type Figures, type RunFailure, type StartedBy, toFigures } from "@/lib/runs/queries/run-view";
import { stepsInOrder } from "@/lib/runs/rules/run-places";
import type { StepRow } from "@/lib/runs/snapshot";

export interface RunStepView {
  /** The id in the YAML. */
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  output: unknown;
  error: RunFailure | null;
  degraded: boolean;
  /** Including its items, sub-workflow and sub-agents. */
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
  retryOfRunId: string | null;
  /** Secrets are names here. */
  params: Record<string, unknown>;
  output: unknown;
  /** The steps of the run's own pipeline, in its order. */
  steps: RunStepView[];
  pendingApprovals: ApprovalView[];
  /** Answers that wait for a person. */
  pendingReviews: ReviewStep[];
  /** Calls with unknown outcome, until a person settles them. */
  pendingSettlements: UnsettledCall[];
  figures: Figures;
  durationMs: number;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

/** The current state of one run: everything that the envelope shows. */
export async function getRun(db: Db, runId: string): Promise<RunView> {
  const read = await readRun(db, runId);
  if (!read) throw await missingRun(db, runId);
  const { snapshot, updatedAt } = read;
  const { run } = snapshot;
  const { id, workflow, version, configHash, status, error, retryOfRunId, params, output } = run;
  const { kind, id: starterId, name } = run.startedBy;
  const createdAt = new Date(run.createdAt);
  const completedAt = run.completedAt === null ? null : new Date(run.completedAt);
  // What has not ended has lasted until its last record.
  const until = completedAt ?? updatedAt;
  const steps = stepsInOrder(snapshot);
  return {
    id,
    workflow,
    version,
    configHash,
    status,
    error: error && { ...error },
    retryOfRunId,
    params,
    output,
    startedBy: {
      kind,
      id: starterId,
      name,
    },
    steps: steps.filter((step) => step.parentId === null).map((step) => toStepView(step, steps, until)),
    pendingApprovals: viewsOf(snapshot).filter((approval) => approval.status === "pending"),
    pendingReviews: reviewStepsOf(snapshot),
    pendingSettlements: unsettledCallsOf(read),
    figures: toFigures(run),
    durationMs: Math.max(until.getTime() - createdAt.getTime(), 0),
    createdAt,
    updatedAt,
    completedAt,
  };
}

function toStepView(step: StepRow, all: readonly StepRow[], until: Date): RunStepView {
  const { key, type, status, output, error, degraded, startedAt, completedAt } = step;
  const ended = completedAt === null ? until : new Date(completedAt);
  const durationMs = startedAt === null ? 0 : Math.max(ended.getTime() - Date.parse(startedAt), 0);
  return {
    key,
    type,
    status,
    output,
    error: error && { ...error },
    degraded,
    figures: figuresBelow(step, all),
    durationMs,
  };
}

function figuresBelow(step: StepRow, all: readonly StepRow[]): Figures {
  return addFigures([
    toFigures(step),
    ...all.filter((child) => child.parentId === step.id).map((child) => figuresBelow(child, all)),
  ]);
}

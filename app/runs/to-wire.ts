import type { z } from "zod";
import { toPendingApproval } from "@/app/approvals/to-wire";
import type { metricsSchema, runEnvelopeSchema, runEventSchema, runSummarySchema } from "@/lib/http/schemas/run-envelope";
import type { RunView } from "@/lib/store/queries/get-run";
import type { RunEvent } from "@/lib/store/queries/list-run-events";
import type { RunSummary } from "@/lib/store/queries/list-runs";
import type { Figures } from "@/lib/store/queries/run-view";

const toMetrics = (figures: Figures, durationMs: number): z.input<typeof metricsSchema> => ({
  tokens_in: figures.tokensIn,
  tokens_out: figures.tokensOut,
  cost_usd: figures.costUsd,
  llm_calls: figures.llmCalls,
  tool_calls: figures.toolCalls,
  duration_ms: durationMs,
});

/** The envelope: one form for every client, with null for what is absent. */
export function toEnvelope(run: RunView): z.input<typeof runEnvelopeSchema> {
  return {
    run_id: run.id,
    workflow: run.workflow,
    version: run.version === "" ? null : run.version,
    config_hash: run.configHash,
    status: run.status,
    error: run.error,
    started_by: run.startedBy,
    parent_run_id: run.parentRunId,
    retry_of_run_id: run.retryOfRunId,
    params: run.params,
    steps: run.steps.map(({ key, type, status, output, error, degraded, figures, durationMs }) => ({
      id: key,
      type,
      status,
      output: output ?? null,
      error,
      degraded,
      metrics: toMetrics(figures, durationMs),
    })),
    pending_approvals: run.pendingApprovals.map(toPendingApproval),
    totals: toMetrics(run.figures, run.durationMs),
    created_at: run.createdAt.toISOString(),
    updated_at: run.updatedAt.toISOString(),
    completed_at: run.completedAt?.toISOString() ?? null,
  };
}

export function toSummary(run: RunSummary): z.input<typeof runSummarySchema> {
  const until = run.completedAt ?? run.updatedAt;
  return {
    run_id: run.id,
    workflow: run.workflow,
    version: run.version === "" ? null : run.version,
    status: run.status,
    error: run.error,
    started_by: run.startedBy,
    parent_run_id: run.parentRunId,
    retry_of_run_id: run.retryOfRunId,
    agents: run.agents,
    pending_approvals: run.pendingApprovals,
    totals: toMetrics(run.figures, Math.max(until.getTime() - run.createdAt.getTime(), 0)),
    created_at: run.createdAt.toISOString(),
    updated_at: run.updatedAt.toISOString(),
    completed_at: run.completedAt?.toISOString() ?? null,
  };
}

export const toRunEvent = ({ seq, id, type, at, actor, data }: RunEvent): z.input<typeof runEventSchema> => ({ seq, event_id: id, type, at: at.toISOString(), actor, data });

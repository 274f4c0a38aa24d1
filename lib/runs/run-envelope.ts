/** A run in the one form that every client gets, from the API and the command line, with null for what is absent. */
import type { DangerLevel, RequireApproval } from "@/lib/config/permission-schema";
import { formatSourceLocation } from "@/lib/config/source-location";
import { digestOutput } from "@/lib/text/digest";
import type { ApprovalView } from "@/lib/approvals/queries/get-approval";
import type { RunView } from "@/lib/runs/queries/get-run";
import type { RunSummary } from "@/lib/runs/queries/list-runs";
import type { Figures } from "@/lib/runs/queries/run-view";

const toMetrics = (figures: Figures, durationMs: number) => ({
  tokens_in: figures.tokensIn,
  tokens_out: figures.tokensOut,
  cost_usd: figures.costUsd,
  llm_calls: figures.llmCalls,
  tool_calls: figures.toolCalls,
  duration_ms: durationMs,
});

/** A sub-workflow is steps of its run, so no run has a parent; the field is kept for clients. */
const NO_PARENT = null;

export function toEnvelope(run: RunView) {
  return {
    run_id: run.id,
    workflow: run.workflow,
    version: run.version === "" ? null : run.version,
    config_hash: run.configHash,
    status: run.status,
    error: run.error,
    started_by: run.startedBy,
    parent_run_id: NO_PARENT,
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
    pending_reviews: run.pendingReviews.map(({ id, name, message, rawOutput }) => ({
      step_id: id,
      step: name,
      message,
      output: rawOutput ?? null,
      digest: digestOutput(rawOutput),
    })),
    pending_settlements: run.pendingSettlements.map(
      ({ id, stepKey, agent, server, tool, danger, summary, arguments: args, since }) => ({
        call_id: id,
        step_id: stepKey,
        agent,
        server,
        tool,
        summary,
        arguments: args,
        danger,
        unknown_since: since.toISOString(),
      }),
    ),
    totals: toMetrics(run.figures, run.durationMs),
    created_at: run.createdAt.toISOString(),
    updated_at: run.updatedAt.toISOString(),
    completed_at: run.completedAt?.toISOString() ?? null,
  };
}

export function toSummary(run: RunSummary) {
  const until = run.completedAt ?? run.updatedAt;
  return {
    run_id: run.id,
    workflow: run.workflow,
    version: run.version === "" ? null : run.version,
    status: run.status,
    error: run.error,
    started_by: run.startedBy,
    parent_run_id: NO_PARENT,
    retry_of_run_id: run.retryOfRunId,
    agents: run.agents,
    pending_approvals: run.pendingApprovals,
    totals: toMetrics(run.figures, Math.max(until.getTime() - run.createdAt.getTime(), 0)),
    created_at: run.createdAt.toISOString(),
    updated_at: run.updatedAt.toISOString(),
    completed_at: run.completedAt?.toISOString() ?? null,
  };
}

export function toPendingApproval(approval: ApprovalView) {
  return {
    approval_id: approval.id,
    call_id: approval.callId,
    step_id: approval.stepKey,
    agent: approval.agent,
    server: approval.server,
    tool: approval.tool,
    arguments: approval.arguments,
    danger: approval.danger as DangerLevel,
    asked_because: approval.trace
      .filter((entry) => entry.outcome === "ask")
      .map(({ layer, source, reason }) => ({
        layer,
        source: source && source.file !== "" ? formatSourceLocation(source) : null,
        reason,
      })),
    on_reject: approval.onReject as RequireApproval["on_reject"],
    min_approvals: approval.minApprovals,
    approvals: approval.approvals,
    expires_at: approval.expiresAt?.toISOString() ?? null,
    digest: approval.digest,
  };
}

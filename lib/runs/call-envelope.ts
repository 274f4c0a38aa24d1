/** A call in the one form that every client gets, with null for what is absent. */
import type { DangerLevel } from "@/lib/config/permission-schema";
import { formatSourceLocation, type SourceLocation } from "@/lib/config/source-location";
import { toCallResult } from "@/lib/runs/rules/call-result";
import type { CallView } from "@/lib/runs/queries/list-calls";

const toSource = (source: SourceLocation | undefined): string | null =>
  source && source.file !== "" ? formatSourceLocation(source) : null;

export function toCall(call: CallView) {
  return {
    call_id: call.id,
    run_id: call.runId,
    step_id: call.stepKey,
    parent_call_id: call.parentCallId,
    agent: call.agent === "" ? null : call.agent,
    server: call.server,
    tool: call.tool,
    status: call.status,
    danger: call.danger as DangerLevel,
    summary: call.summary,
    arguments: call.arguments,
    digest: call.digest,
    asked_because: call.trace
      .filter(({ outcome }) => outcome === "ask")
      .map(({ layer, source, reason }) => ({ layer, source: toSource(source), reason })),
    policy: call.trace.map(({ layer, outcome, reason, source, agent }) => ({
      layer,
      outcome,
      reason,
      source: toSource(source),
      agent: agent ?? null,
    })),
    approvals: call.approvals.map(({ id, status, minApprovals, decisions, createdAt, decidedAt }) => ({
      approval_id: id,
      status,
      min_approvals: minApprovals,
      decisions: decisions.map(({ createdAt: at, ...said }) => ({ ...said, at: at.toISOString() })),
      created_at: createdAt.toISOString(),
      decided_at: decidedAt?.toISOString() ?? null,
    })),
    cost_usd: call.costUsd,
    error: call.error,
    result: call.isResultLeftOut ? null : toCallResult(call),
    result_left_out: call.isResultLeftOut,
    created_at: call.createdAt.toISOString(),
    executing_at: call.executingAt?.toISOString() ?? null,
    completed_at: call.completedAt?.toISOString() ?? null,
  };
}

import type { z } from "zod";
import { formatSourceLocation } from "@/lib/config/source-location";
import type { DecidedApproval } from "@/lib/engine/decide-approval";
import type { approvalSchema, pendingApprovalSchema } from "@/lib/http/schemas/approval-view";
import type { ApprovalView } from "@/lib/store/queries/get-approval";

type Pending = z.input<typeof pendingApprovalSchema>;

export function toPendingApproval(approval: ApprovalView): Pending {
  return {
    approval_id: approval.id,
    call_id: approval.callId,
    step_id: approval.stepKey,
    agent: approval.agent,
    server: approval.server,
    tool: approval.tool,
    arguments: approval.arguments,
    danger: approval.danger as Pending["danger"],
    asked_because: approval.trace
      .filter((entry) => entry.outcome === "ask")
      .map(({ layer, source, reason }) => ({ layer, source: source && source.file !== "" ? formatSourceLocation(source) : null, reason })),
    on_reject: approval.onReject as Pending["on_reject"],
    min_approvals: approval.minApprovals,
    approvals: approval.approvals,
    expires_at: approval.expiresAt?.toISOString() ?? null,
    digest: approval.digest,
  };
}

export function toApproval(approval: ApprovalView): z.input<typeof approvalSchema> {
  return {
    ...toPendingApproval(approval),
    run_id: approval.runId,
    workflow: approval.workflow,
    status: approval.status,
    summary: approval.summary,
    agent_says: approval.agentSays,
    started_by: approval.startedBy,
    approvers: approval.approvers,
    self_approval: approval.selfApproval,
    editable: approval.editable,
    reject_reasons: approval.rule.rejectReasons,
    version: approval.version,
    decisions: approval.decisions.map(({ user, token, verdict, reason, comment, at }) => ({ user, token, verdict, reason, comment, at: at.toISOString() })),
    created_at: approval.createdAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
  };
}

/** What the one who decided is told. */
export function toDecided({ id, callId, runId, status, approvals, minApprovals, digest }: DecidedApproval) {
  return { approval_id: id, call_id: callId, run_id: runId, status, approvals, min_approvals: minApprovals, digest };
}

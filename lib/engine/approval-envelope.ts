/** Approvals in the one form that every client gets, by the API and by the command line, with null for what is absent. */
import type { DecidedApproval } from "@/lib/engine/decide-approval";
import type { EngineDeps } from "@/lib/engine/deps";
import { findStricterRule } from "@/lib/engine/find-stricter-rule";
import { toPendingApproval } from "@/lib/engine/run-envelope";
import { findRuntime } from "@/lib/engine/runtime";
import type { ApprovalView } from "@/lib/store/queries/get-approval";
import { listSetAsides, type SetAside } from "@/lib/store/queries/list-set-asides";

/** A process without a project says what is on record; it decides nothing. */
async function toStricter(approval: ApprovalView) {
  const runtime = findRuntime();
  const stricter = runtime ? await findStricterRule(runtime, approval) : null;
  return stricter && { refused: stricter.refusal, approvers: stricter.approvers, min_approvals: stricter.rule.minApprovals, self_approval: stricter.rule.selfApproval };
}

/** With what people said who set them aside. */
export async function toApprovals({ db, now }: EngineDeps, approvals: readonly ApprovalView[]) {
  const asides = await listSetAsides(db, approvals.map(({ id }) => id), now());
  return Promise.all(approvals.map((approval) => toApproval(approval, asides.get(approval.id) ?? [])));
}

export async function toOneApproval(deps: EngineDeps, approval: ApprovalView) {
  const [one] = await toApprovals(deps, [approval]);
  if (!one) throw new Error("unreachable: an approval was lost on its way");
  return one;
}

async function toApproval(approval: ApprovalView, asides: readonly SetAside[]) {
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
    stricter_now: await toStricter(approval),
    reject_reasons: approval.rule.rejectReasons,
    version: approval.version,
    decisions: approval.decisions.map(({ user, token, verdict, reason, comment, at }) => ({ user, token, verdict, reason, comment, at: at.toISOString() })),
    set_asides: asides.map(({ user, note, until, holds, at }) => ({ user, note, until: until?.toISOString() ?? null, holds, at: at.toISOString() })),
    created_at: approval.createdAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
  };
}

/** What the one who decided is told. */
export function toDecided({ id, callId, runId, status, approvals, minApprovals, digest }: DecidedApproval) {
  return { approval_id: id, call_id: callId, run_id: runId, status, approvals, min_approvals: minApprovals, digest };
}

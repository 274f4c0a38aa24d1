/**
 * Approvals in the one form that every client gets, from the API and the command line, with null for what is absent.
 */
import { extendableUntil } from "@/lib/approvals/rules/extension-limit";
import type { DecidedApproval } from "@/lib/approvals/decide-approval";
import type { EngineDeps } from "@/lib/database/deps";
import { findStricterRule } from "@/lib/approvals/find-stricter-rule";
import { toPendingApproval } from "@/lib/runs/run-envelope";
import { findRuntime, type Runtime } from "@/lib/runs/runtime";
import { type ApprovalInRun, type ApprovalView, getApproval } from "@/lib/approvals/queries/get-approval";
import type { ListedApproval } from "@/lib/approvals/queries/list-approvals";
import { listSetAsides, type SetAside } from "@/lib/approvals/queries/list-set-asides";

/** A process without a project reports what is on record; it decides nothing. */
async function toStricter(approval: ApprovalView) {
  const runtime = findRuntime();
  const asked = runtime && (await findJudged(runtime, approval));
  const stricter = runtime && asked ? await findStricterRule(runtime, asked) : null;
  return (
    stricter && {
      refused: stricter.refusal,
      approvers: stricter.approvers,
      min_approvals: stricter.rule.minApprovals,
      self_approval: stricter.rule.selfApproval,
    }
  );
}

/** A listed approval comes without the facts it is judged by. */
type MaybeListed = ApprovalView & Partial<Pick<ListedApproval, "argumentsOmitted">>;

/** Null when the approval is over, or today's rules are the ones it was asked under. */
async function findJudged({ db, projects }: Runtime, approval: ApprovalView): Promise<ApprovalInRun | null> {
  const isJudged = approval.status === "pending" && approval.configHash !== projects.current().project.hash;
  if (!isJudged) return null;
  return isInRun(approval) ? approval : getApproval(db, approval.id);
}

const isInRun = (approval: ApprovalView): approval is ApprovalInRun => "spending" in approval;

/** With the notes of people who set them aside. */
export async function toApprovals({ db, now }: EngineDeps, approvals: readonly MaybeListed[]) {
  const asides = await listSetAsides(
    db,
    approvals.map(({ id }) => id),
    now(),
  );
  const made = [];
  // One after the other, so that only one approval's large arguments are in memory at a time.
  for (const approval of approvals) made.push(await toApproval(approval, asides.get(approval.id) ?? []));
  return made;
}

export async function toOneApproval(deps: EngineDeps, approval: ApprovalView) {
  const [one] = await toApprovals(deps, [approval]);
  if (!one) throw new Error("unreachable: an approval was lost on its way");
  return one;
}

async function toApproval(approval: MaybeListed, asides: readonly SetAside[]) {
  return {
    ...toPendingApproval(approval),
    arguments_omitted: approval.argumentsOmitted ?? false,
    run_id: approval.runId,
    workflow: approval.workflow,
    status: approval.status,
    summary: approval.summary,
    agent_says: approval.agentSays,
    started_by: approval.startedBy,
    approvers: approval.approvers,
    self_approval: approval.selfApproval,
    editable: approval.editable,
    extendable_until: approval.expiresAt
      ? extendableUntil({ createdAt: approval.createdAt, timeoutMs: approval.rule.timeoutMs }).toISOString()
      : null,
    stricter_now: await toStricter(approval),
    reject_reasons: approval.rule.rejectReasons,
    version: approval.version,
    decisions: approval.decisions.map(({ user, token, verdict, reason, comment, at }) => ({
      user,
      token,
      verdict,
      reason,
      comment,
      at: at.toISOString(),
    })),
    set_asides: asides.map(({ user, note, until, holds, at }) => ({
      user,
      note,
      until: until?.toISOString() ?? null,
      holds,
      at: at.toISOString(),
    })),
    created_at: approval.createdAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
  };
}

/** What the person who decided gets back. */
export function toDecided({ id, callId, runId, status, approvals, minApprovals, digest }: DecidedApproval) {
  return { approval_id: id, call_id: callId, run_id: runId, status, approvals, min_approvals: minApprovals, digest };
}

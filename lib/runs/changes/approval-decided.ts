/** One person's decision about one approval. The first transition out of `pending` is final. */
import type { Actor } from "@/lib/people/rules/actor";
import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import type { RowEvent } from "@/lib/runs/changes/row-events";
import { approvalOf, callOf, moveApproval, moveCall, resumeStep } from "@/lib/runs/changes/move";
import type { ApprovalRow, DecisionRow } from "@/lib/runs/snapshot";

export interface EditedArguments {
  canonical: string;
  shown: unknown;
  /** Of the arguments. */
  digest: string;
  questionDigest: string;
  summary: string;
}

export interface ApprovalDecided extends Change {
  kind: "approval_decided";
  approvalId: string;
  callId: string;
  decision: Omit<DecisionRow, "at" | "argumentsCanonical">;
  argumentsDigest: string;
  /** Set when the person changed the arguments. */
  edited: EditedArguments | null;
  actor: Actor;
}

export const approvalDecided: ChangeKind<ApprovalDecided> = {
  kind: "approval_decided",
  events({ approvalId, callId, decision, argumentsDigest, edited, actor }) {
    const { verdict, digest, reason, comment, userId } = decision;
    const data = {
      approval_id: approvalId,
      call_id: callId,
      verdict,
      digest: edited?.questionDigest ?? digest,
      arguments_digest: edited?.digest ?? argumentsDigest,
      edited: edited !== null,
      reason,
      comment,
      user_id: userId,
    };
    return [{ type: "approval.decided", actor, data }];
  },
  approvals: ({ approvalId }) => [approvalId],
  apply(snapshot, { approvalId, callId, decision, edited, at }) {
    const approval = approvalOf(snapshot, approvalId);
    const call = callOf(snapshot, callId);
    const digest = edited?.questionDigest ?? decision.digest;
    approval.decisions.push({ ...decision, digest, argumentsCanonical: edited?.canonical ?? null, at });
    if (edited) {
      const { canonical, shown, digest: argumentsDigest, questionDigest, summary } = edited;
      if (call.turnId === null) call.proposed ??= call.arguments;
      Object.assign(approval, { digest: argumentsDigest, questionDigest, summary, edited: true });
      Object.assign(call, { argumentsCanonical: canonical, arguments: shown, digest: argumentsDigest, summary });
    }
    if (decision.verdict === "approved") approval.approvals += 1;
    else approval.reason = decision.reason;
    const to = statusAfter(approval, decision.verdict);
    if (to === "pending") return void (approval.version += 1);
    moveApproval(snapshot, approvalId, { to, at });
    moveCall(snapshot, callId, { to, at });
    call.error = to === "rejected" ? { code: "rejected", message: decision.reason ?? "" } : null;
    resumeStep(snapshot, approval.stepId);
  },
  keep(change, _run, [event]) {
    const { decision, ...rest } = change;
    return { ...leaveOut<typeof rest>(rest, told(event)), decision: leaveOut(decision, toldDecision(event)) };
  },
  open(kept: ApprovalDecided, _run, events) {
    const event = events.take("approval.decided");
    return { ...told(event), ...kept, decision: { ...toldDecision(event), ...kept.decision } };
  },
};

/** What its event says of it. Most people change nothing. */
const told = (event: RowEvent | null | undefined): Partial<Omit<ApprovalDecided, "decision">> => ({
  edited: null,
  ...(event && {
    actor: event.actor,
    approvalId: event.data.approval_id as string,
    callId: event.data.call_id as string,
    argumentsDigest: event.data.arguments_digest as string,
  }),
});

/** Most people decide in a browser, as themselves. */
const toldDecision = (event: RowEvent | null | undefined): Partial<ApprovalDecided["decision"]> => ({
  token: null,
  address: null,
  ...(event && {
    userId: event.data.user_id as string,
    userName: event.actor.name,
    verdict: event.data.verdict as DecisionRow["verdict"],
    digest: event.data.digest as string,
    comment: event.data.comment as string | null,
    reason: event.data.reason as string | null,
  }),
});

/** `approvals` includes this decision. */
export function statusAfter(
  { approvals, minApprovals }: Pick<ApprovalRow, "approvals" | "minApprovals">,
  verdict: DecisionRow["verdict"],
): Extract<ApprovalStatus, "pending" | "approved" | "rejected"> {
  if (verdict === "rejected") return "rejected";
  return approvals >= minApprovals ? "approved" : "pending";
}

/**
 * Records one person's decision: the decision, its effect on approval and call, and the wake-up of the run, in one
 * commit. The first transition out of `pending` is final; whoever comes second, however close, learns who came first
 * and has changed nothing. If a worker with a free worker slot is given, a decision that wakes the run also claims it.
 */
import { describeEnd, endIssues } from "@/lib/approvals/describe-end";
import { toApprovalView } from "@/lib/approvals/queries/get-approval";
import { isAllowed } from "@/lib/approvals/transitions/eligible-sql";
import type { Db } from "@/lib/database/client";
import { KimitsuError } from "@/lib/errors";
import { type ApprovalDecided, statusAfter } from "@/lib/runs/changes/approval-decided";
import { approvalOf } from "@/lib/runs/changes/move";
import { changeRun, type OutsideChange, pausesAround } from "@/lib/runs/journal/change-run";
import { claimChange, type Claimed, type Claimer, claimMove } from "@/lib/runs/journal/claim-run";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import type { ApprovalRow, RunSnapshot } from "@/lib/runs/snapshot";

export type NewDecision = Omit<ApprovalDecided, "kind" | "at"> & {
  runId: string;
  /** How many must approve, as shown to the person. */
  minApprovals: number;
};

/** The approval as the decision left it. */
export type DecidedRow = Pick<ApprovalRow, "status" | "approvals" | "digest" | "summary">;

export interface DecisionWrite {
  claimer: Claimer | null;
  at: Date;
  /** The run as it was read; absent if the caller has changed it since. */
  first?: OpenRun;
  /** Commit even if the rows of the run were changed: for a rejection, which sends nothing. */
  despiteRow: boolean;
}

/**
 * Throws `conflict` when it is over, or is not what the person saw; null when the person may not decide it at this
 * moment.
 */
export async function writeDecision(
  db: Db,
  decision: NewDecision,
  { claimer, at, first, despiteRow }: DecisionWrite,
): Promise<{ done: DecidedRow; claimed: Claimed | null } | null> {
  const outcome = await changeRun(db, decision.runId, {
    build: (run) => buildDecision(run, decision, { claimer, at }),
    at,
    despiteRow,
    ...(first && { first }),
    pauses: pausesAround("decide-approval", decision.approvalId),
  });
  if (outcome.kind !== "done") return null;
  const { run, done: isClaimed } = outcome;
  const { status, approvals, questionDigest, summary } = approvalOf(run.snapshot, decision.approvalId);
  const lease = { runId: decision.runId, owner: claimer?.owner ?? "", epoch: run.epoch };
  return { done: { status, approvals, digest: questionDigest, summary }, claimed: isClaimed ? { lease, run } : null };
}

/** `done` says whether the run was claimed. */
function buildDecision(
  run: OpenRun,
  decision: NewDecision,
  { claimer, at }: { claimer: Claimer | null; at: Date },
): OutsideChange<boolean> {
  const { snapshot } = run;
  const approval = approvalOf(snapshot, decision.approvalId);
  refuseLate(snapshot, decision, at);
  const { runId: _, minApprovals, ...said } = decision;
  const approvals = approval.approvals + (said.decision.verdict === "approved" ? 1 : 0);
  const isOver = statusAfter({ approvals, minApprovals }, said.decision.verdict) !== "pending";
  const taker = isOver && snapshot.run.status === "pending_approval" && run.leaseOwner === null ? claimer : null;
  return {
    changes: [
      { kind: "approval_decided", at: at.toISOString(), ...said },
      ...(taker ? [claimChange(run, taker.owner, at)] : []),
    ],
    queue: taker ? claimMove(taker, null, at) : isOver ? { kind: "wake" } : { kind: "stay" },
    guards: [isAllowed(said.decision.userId, approval.approvers)],
    done: taker !== null,
  };
}

/** Throws `conflict` that says what came first. */
function refuseLate(snapshot: RunSnapshot, { approvalId, ...said }: NewDecision, at: Date): void {
  const approval = approvalOf(snapshot, approvalId);
  if (approval.status !== "pending") {
    const view = toApprovalView(snapshot, approval);
    throw new KimitsuError("conflict", describeEnd(view), { issues: endIssues(view) });
  }
  const { decisions, expiresAt, approvals, minApprovals } = approval;
  if (decisions.some(({ userId }) => userId === said.decision.userId)) {
    throw new KimitsuError(
      "conflict",
      `You have decided approval ${approvalId} already; it waits for others. Nothing was changed.`,
    );
  }
  if (expiresAt && expiresAt <= at.toISOString()) {
    throw new KimitsuError("conflict", `Approval ${approvalId} expired at ${expiresAt}; nothing was decided.`);
  }
  const isAsSeen = approval.questionDigest === said.decision.digest && minApprovals === said.minApprovals;
  if (isAsSeen && (said.edited === null || approvals === 0)) return;
  const message = `The arguments of approval ${approvalId} are not the ones you saw. Look again, then decide.`;
  throw new KimitsuError("conflict", `${message} Nothing was decided.`);
}

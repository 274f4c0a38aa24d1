/**
 * A person's decision about one pending call. What is decided is read from the row, never from the request; the digest that the person
 * saw must be the one on the row. Of two who decide at the same instant one wins, and the other learns who, what and when.
 */
import type { Actor } from "@/lib/domain/actor";
import { canonicalizeArguments, digestArguments } from "@/lib/domain/digest";
import { type Decider, refusalToDecide } from "@/lib/domain/eligibility";
import type { StricterRule } from "@/lib/domain/policy/approval-rule";
import { redact } from "@/lib/domain/redaction";
import { summarizeCall } from "@/lib/domain/summarize-call";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import type { Runtime } from "@/lib/engine/runtime";
import { writeAndGoOn } from "@/lib/engine/seat";
import { findStricterRule } from "@/lib/engine/find-stricter-rule";
import { judgeEdit } from "@/lib/engine/judge-edit";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { type ApprovalView, getApproval } from "@/lib/store/queries/get-approval";
import { decideApprovalRow, type DecidedRow } from "@/lib/store/transitions/decide-approval";
import { tightenApprovalRow } from "@/lib/store/transitions/tighten-approval";
import { tellApprovalEnded } from "@/lib/telemetry/tell-run";

export interface DecisionWish {
  approvalId: string;
  verdict: "approved" | "rejected";
  /** As shown; left out by clients that did not read it, who then decide what is on the row. */
  digest?: string;
  comment?: string;
  reason?: string;
  /** Arguments that the person wants instead. */
  arguments?: Record<string, unknown>;
}

export interface DecidedBy extends Decider {
  actor: Actor;
  tokenId: string | null;
}

/** What became of the approval by this decision. */
export type DecidedApproval = Pick<ApprovalView, "id" | "callId" | "runId" | "minApprovals" | keyof DecidedRow>;

export async function decideApproval(deps: Runtime, by: DecidedBy, wish: DecisionWish): Promise<DecidedApproval> {
  const asked = await getApproval(deps.db, wish.approvalId);
  refuseIfOver(asked);
  const stricter = await findStricterRule(deps, asked, wish.arguments);
  const approval = stricter ? byStricterRule(asked, stricter) : asked;
  const refusal = refusalToDecide(by, approval);
  if (refusal) throw new KimitsuError("forbidden", `${stricter ? STRICTER_NOW : ""}${refusal} Nothing was decided.`);
  if (stricter?.refusal && wish.verdict === "approved") {
    throw new KimitsuError("forbidden", `${STRICTER_NOW}They refuse this call: ${stricter.refusal} It can be rejected, or its run cancelled. Nothing was decided.`);
  }
  if (wish.digest !== undefined && wish.digest !== approval.digest) {
    throw new KimitsuError("conflict", `The arguments of approval ${approval.id} are not the ones you saw: they were changed by someone else. Look again, then decide. Nothing was decided.`);
  }
  for (const path of ["comment", "reason"] as const) refuseKnownSecrets(deps.projects.current().project, deps.processEnv, { path, what: `The ${path}`, value: wish[path] });
  const edited = wish.arguments !== undefined && wish.verdict === "approved" ? await edit(deps, approval, wish.arguments) : null;
  if (stricter?.refusal === null) await tightenApprovalRow(deps.db, { ...stricter, id: approval.id, runId: approval.runId, callId: approval.callId }, deps.now());
  const decision = {
    id: createId("decision"),
    approvalId: approval.id,
    runId: approval.runId,
    callId: approval.callId,
    userId: by.userId,
    tokenId: by.tokenId,
    verdict: wish.verdict,
    comment: wish.comment ?? null,
    reason: wish.reason ?? null,
    digest: approval.digest,
    address: by.actor.address ?? null,
    edited,
  };
  const decided = await writeAndGoOn(deps, {
    runId: approval.runId,
    write: async (db, claimer, at) => {
      const { row: done, claim } = await decideApprovalRow(db, decision, by.actor, claimer, at);
      return { done, claim };
    },
    isWoken: (row) => row !== null && row.status !== "pending",
  });
  if (!decided) throw await explainLoss(deps, by, approval);
  if (decided.status !== "pending") tellApprovalEnded({ ...approval, outcome: wish.verdict, endedAt: deps.now() });
  const { id, callId, runId, minApprovals } = approval;
  return { id, callId, runId, minApprovals, ...decided };
}

const STRICTER_NOW = "The project's rules are stricter now than when this was asked. ";

/** The question as it would be asked today. The row is held to it before the decision is written. */
function byStricterRule(asked: ApprovalView, { rule, approvers }: StricterRule): ApprovalView {
  return { ...asked, rule, approvers, minApprovals: rule.minApprovals, selfApproval: rule.selfApproval, editable: rule.edit };
}

async function edit(deps: Runtime, approval: ApprovalView, args: Record<string, unknown>) {
  if (!approval.editable) throw new KimitsuError("forbidden", "The rule that asked for this approval does not let reviewers change the arguments. Nothing was decided.");
  if (approval.approvals > 0) throw new KimitsuError("conflict", "Someone has approved the arguments as they are; they cannot be changed any more. Nothing was decided.");
  const canonical = canonicalizeArguments(args);
  const { schema, title, template } = await judgeEdit(deps, approval, args);
  const shown = redact(args, { fingerprint: deps.fingerprint, ...(schema ? { schema } : {}) }) as Record<string, unknown>;
  return { canonical, shown, digest: digestArguments(args), summary: summarizeCall({ name: approval.tool, title }, template, shown) };
}

function refuseIfOver(approval: ApprovalView): void {
  if (approval.status === "pending") return;
  throw new KimitsuError("conflict", describeEnd(approval), { issues: endIssues(approval) });
}

/** Read again after a refusal by the database: what it was that came first. */
async function explainLoss(deps: Runtime, by: DecidedBy, before: ApprovalView): Promise<KimitsuError> {
  const now = await getApproval(deps.db, before.id);
  if (now.status !== "pending") return new KimitsuError("conflict", describeEnd(now), { issues: endIssues(now) });
  if (now.decisions.some((decision) => decision.user.id === by.userId)) return new KimitsuError("conflict", `You have decided approval ${now.id} already; it waits for others. Nothing was changed.`);
  if (now.expiresAt && now.expiresAt <= deps.now()) return new KimitsuError("conflict", `Approval ${now.id} expired at ${now.expiresAt.toISOString()}; nothing was decided.`);
  return new KimitsuError("conflict", `The arguments of approval ${now.id} are not the ones you saw. Look again, then decide. Nothing was decided.`);
}

function describeEnd(approval: ApprovalView): string {
  const at = approval.decidedAt?.toISOString() ?? "";
  const last = approval.decisions.at(-1);
  switch (approval.status) {
    case "expired":
      return `Approval ${approval.id} expired at ${at}; nothing was changed.`;
    case "cancelled":
      return `Approval ${approval.id} was withdrawn at ${at}, because its run ended or its call is asked anew; nothing was changed.`;
    default:
      return `Approval ${approval.id} was already ${approval.status}${last ? ` by ${last.user.name}` : ""} at ${at}; nothing was changed.`;
  }
}

function endIssues(approval: ApprovalView) {
  return approval.decisions.map((decision) => ({ path: approval.id, message: `${decision.verdict} by ${decision.user.name} at ${decision.at.toISOString()}` }));
}

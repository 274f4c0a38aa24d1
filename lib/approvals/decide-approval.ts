/**
 * A person's decision about one pending call. The question is read from the run's journal, never from the request; the
 * digest that the person saw must be the sealed one. Of two people who decide at the same instant one wins, and the
 * other learns who decided what and when.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { canonicalizeArguments, digestArguments } from "@/lib/text/digest";
import { describeEnd, endIssues } from "@/lib/approvals/describe-end";
import { findStricterRule } from "@/lib/approvals/find-stricter-rule";
import { judgeEdit } from "@/lib/approvals/judge-edit";
import type { ApprovalInRun, ApprovalView } from "@/lib/approvals/queries/get-approval";
import { getQuestion, type Question } from "@/lib/approvals/queries/get-question";
import { requireConfirmation } from "@/lib/approvals/require-confirmation";
import { type Decider, refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { digestQuestion } from "@/lib/approvals/rules/question-digest";
import { summarizeCall } from "@/lib/approvals/rules/summarize-call";
import { tightenApproval } from "@/lib/approvals/tighten-approval";
import { type DecidedRow, type NewDecision, writeDecision } from "@/lib/approvals/write-decision";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import type { StricterRule } from "@/lib/policy/approval-rule";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import type { EditedArguments } from "@/lib/runs/changes/approval-decided";
import { changeRun } from "@/lib/runs/journal/change-run";
import { RecordChanged } from "@/lib/runs/journal/fold";
import type { Runtime } from "@/lib/runs/runtime";
import { writeAndGoOn } from "@/lib/runs/worker-slot";
import { recordApprovalEnded } from "@/lib/telemetry/record-run";
import { redact } from "@/lib/text/redaction";

/** What a person says about a question, whichever it is. */
export interface Verdict {
  verdict: "approved" | "rejected";
  /** As shown; a client that did not read it omits it and decides what is on the row. */
  digest?: string;
  comment?: string;
  reason?: string;
  /** For a critical call: the value from the call that the approving person typed or stated. */
  confirm?: string;
  /** Arguments that the person wants instead. */
  arguments?: Record<string, unknown>;
}

export interface DecisionCommand extends Verdict {
  approvalId: string;
}

export interface DecidedBy extends Decider {
  actor: Actor;
  tokenId: string | null;
  /** Of the person, where a token is the actor; looked up when left out. */
  userName?: string;
}

/** The approval after this decision. */
export type DecidedApproval = Pick<ApprovalView, "id" | "callId" | "runId" | "minApprovals" | keyof DecidedRow>;

export async function decideApproval(
  deps: Runtime,
  by: DecidedBy,
  { approvalId, ...command }: DecisionCommand,
): Promise<DecidedApproval> {
  const question = await refuseChangedQuestion(approvalId, () => getQuestion(deps.db, approvalId));
  return decideQuestion(deps, by, { question, command });
}

/** As decideApproval, of a question that was read a moment ago. */
export async function decideQuestion(
  deps: Runtime,
  by: DecidedBy,
  { question, command }: { question: Question; command: Verdict },
): Promise<DecidedApproval> {
  await refuseChanged(deps, { question, command, by });
  const stricter = await findStricterRule(deps, question.view, command.arguments);
  const approval = stricter ? byStricterRule(question.view, stricter) : question.view;
  refuseUnlessMeant(approval, { by, command, stricter });
  const { project } = deps.projects.current();
  for (const path of ["comment", "reason"] as const) {
    refuseKnownSecrets(project, deps.processEnv, { path, what: `The ${path}`, value: command[path] });
  }
  const isEdit = command.arguments !== undefined && command.verdict === "approved";
  const edited = isEdit ? await edit(deps, approval, command.arguments ?? {}) : null;
  if (command.verdict === "approved") {
    await requireConfirmation(deps, edited ? { ...approval, arguments: edited.shown } : approval, command.confirm);
  }
  const { id, callId, runId, minApprovals } = approval;
  const isTightened = stricter?.refusal === null;
  if (isTightened) await tightenApproval(deps, { ...stricter, approvalId: id, runId });
  const decision = await toDecision(deps, by, { command, approval, edited });
  const decided = await writeAndGoOn(deps, {
    runId,
    write: async (claimer, at) => {
      const despiteRow = command.verdict === "rejected";
      const first = isTightened ? {} : { first: question.run };
      const written = await refuseChangedQuestion(id, () =>
        writeDecision(deps.db, decision, { claimer, at, despiteRow, ...first }),
      );
      if (!written) throw refusedByGuard(question);
      return written;
    },
    isWoken: ({ status }) => status !== "pending",
  });
  if (decided.status !== "pending") recordApprovalEnded({ ...approval, outcome: command.verdict, endedAt: deps.now() });
  return { id, callId, runId, minApprovals, ...decided };
}

/** No approval is taken where rows say something else than was sealed. A rejection is: it sends nothing. */
async function refuseChanged(
  deps: Runtime,
  { question: { view, problem }, command, by }: { question: Question; command: Verdict; by: DecidedBy },
): Promise<void> {
  if (view.status !== "pending") throw new KimitsuError("conflict", describeEnd(view), { issues: endIssues(view) });
  if (problem === null || command.verdict === "rejected") return;
  await noteMismatch(deps, { ...view, problem }, by.actor);
  throw changedRecord(view.id, problem, " It can be rejected, or its run cancelled;");
}

/** A changed journal can be trusted for nothing, so the question can be neither approved nor rejected. */
async function refuseChangedQuestion<T>(approvalId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RecordChanged) throw changedRecord(approvalId, error.problem, "");
    throw error;
  }
}

const changedRecord = (id: string, problem: string, ways: string) =>
  new KimitsuError(
    "conflict",
    `The record of approval ${id} was changed in the database: ${problem}.${ways} \`kimitsu audit verify\` names what differs. Nothing was decided.`,
  );

function refusedByGuard({ view, problem }: Question): KimitsuError {
  if (problem) return changedRecord(view.id, problem, " Its run can be cancelled;");
  const message = `You may not decide approval ${view.id} any more: your account, your role or your groups were changed.`;
  return new KimitsuError("forbidden", `${message} Nothing was decided.`);
}

/** Records it on the trail and changes nothing else; if even that cannot be written, verification still finds it. */
async function noteMismatch(
  deps: Runtime,
  { id, callId, runId, problem }: ApprovalView & { problem: string },
  actor: Actor,
): Promise<void> {
  const at = deps.now();
  const data = { call_id: callId, approval_id: id, problem };
  const change = { kind: "approval_noted", at: at.toISOString(), type: "approval.mismatched", data, actor } as const;
  await changeRun(deps.db, runId, {
    build: () => ({ changes: [change], queue: { kind: "stay" }, done: null }),
    at,
    despiteRow: true,
  });
}

function refuseUnlessMeant(
  approval: ApprovalView,
  { by, command, stricter }: { by: DecidedBy; command: Verdict; stricter: StricterRule | null },
): void {
  const refusal = refusalToDecide(by, approval);
  if (refusal) throw new KimitsuError("forbidden", `${stricter ? STRICTER_NOW : ""}${refusal} Nothing was decided.`);
  if (stricter?.refusal && command.verdict === "approved") {
    throw new KimitsuError(
      "forbidden",
      `${STRICTER_NOW}They refuse this call: ${stricter.refusal} It can be rejected, or its run cancelled. Nothing was decided.`,
    );
  }
  if (command.digest !== undefined && command.digest !== approval.digest) {
    throw new KimitsuError(
      "conflict",
      `The arguments of approval ${approval.id} are not the ones you saw: they were changed by someone else. Look again, then decide. Nothing was decided.`,
    );
  }
}

interface Decided {
  command: Verdict;
  approval: ApprovalView;
  edited: EditedArguments | null;
}

async function toDecision(
  { db }: Runtime,
  by: DecidedBy,
  { command, approval, edited }: Decided,
): Promise<NewDecision> {
  const { verdict, comment = null, reason = null } = command;
  const { id: approvalId, callId, runId, minApprovals, digest, argumentsDigest } = approval;
  const { userId, tokenId, actor } = by;
  const token = tokenId === null ? null : { id: tokenId, name: actor.name };
  const userName = by.userName ?? (actor.kind === "user" ? actor.name : await findName(db, userId));
  const decision = {
    id: createId("decision"),
    userId,
    userName,
    token,
    verdict,
    comment,
    reason,
    digest,
    address: actor.address ?? null,
  };
  return { approvalId, callId, runId, minApprovals, argumentsDigest, decision, edited, actor };
}

async function findName(db: Runtime["db"], userId: string): Promise<string> {
  return (await db.user.findUnique({ where: { id: userId }, select: { name: true } }))?.name ?? userId;
}

const STRICTER_NOW = "The project's rules are stricter now than when this was asked. ";

/**
 * The question as it would be asked today; the question on record is tightened to it before the decision is written.
 */
function byStricterRule(asked: ApprovalInRun, { rule, approvers }: StricterRule): ApprovalInRun {
  return {
    ...asked,
    rule,
    approvers,
    minApprovals: rule.minApprovals,
    selfApproval: rule.selfApproval,
    editable: rule.edit,
  };
}

async function edit(deps: Runtime, approval: ApprovalInRun, args: Record<string, unknown>): Promise<EditedArguments> {
  if (!approval.editable)
    throw new KimitsuError(
      "forbidden",
      "The rule that asked for this approval does not let reviewers change the arguments. Nothing was decided.",
    );
  if (approval.approvals > 0)
    throw new KimitsuError(
      "conflict",
      "Someone has approved the arguments as they are; they cannot be changed any more. Nothing was decided.",
    );
  const canonical = canonicalizeArguments(args);
  const { schema, title, template } = await judgeEdit(deps, approval, args);
  const shown = redact(args, { fingerprint: deps.fingerprint, ...(schema ? { schema } : {}) }) as Record<
    string,
    unknown
  >;
  const summary = summarizeCall({ name: approval.tool, title }, template, shown);
  const questionDigest = digestQuestion({
    ...approval,
    approvalId: approval.id,
    argumentsCanonical: canonical,
    arguments: shown,
    summary,
  });
  return { canonical, shown, digest: digestArguments(args), questionDigest, summary };
}

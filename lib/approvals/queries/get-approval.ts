/** One approval as its run's journal has it, which is never behind; decisions are made on this. */
import type { Db } from "@/lib/database/client";
import { KimitsuError } from "@/lib/errors";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import { callOf } from "@/lib/runs/changes/move";
import { type OpenRun, readOpenRun } from "@/lib/runs/journal/open-run";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import {
  callersOf,
  type ChainedStep,
  type Spending,
  spendingOf,
  stepChainOf,
  stepKeyOf,
} from "@/lib/runs/rules/run-places";
import type { ApprovalRow, CallRow, DecisionRow, RunSnapshot } from "@/lib/runs/snapshot";

export interface ApprovalDecision {
  user: { id: string; name: string };
  /** Set when the person decided through a token. */
  token: { id: string; name: string } | null;
  verdict: "approved" | "rejected";
  comment: string | null;
  reason: string | null;
  at: Date;
}

type OfQuestion = Pick<ApprovalRow, "id" | "callId" | "stepId" | "status" | "version" | "rule" | "approvers"> &
  Pick<ApprovalRow, "workflow" | "agent" | "server" | "tool" | "danger" | "summary"> &
  Pick<ApprovalRow, "minApprovals" | "approvals" | "selfApproval" | "editable" | "onReject">;
type OfCall = Pick<CallRow, "policyHash" | "arguments" | "argumentsCanonical" | "agentSays" | "definitionFingerprint">;

export interface ApprovalView extends OfQuestion, OfCall {
  runId: string;
  /** Of the project version that the run started with. */
  configHash: string;
  /** As the workflow's file names it. */
  stepKey: string;
  /** Over everything that is asked and shown. */
  digest: string;
  /** Over the arguments alone: equal for equal arguments. */
  argumentsDigest: string;
  trace: TraceEntry[];
  /** Who started the run, or a run that it retries. */
  starterIds: string[];
  startedBy: string;
  decisions: ApprovalDecision[];
  createdAt: Date;
  expiresAt: Date | null;
  escalatedAt: Date | null;
  decidedAt: Date | null;
}

/** With the facts of its run that it is judged by. */
export interface ApprovalInRun extends ApprovalView {
  /** The agent that made the call, preceded by the agents above it, outermost first. */
  callers: string[];
  /** The step and those above it, innermost first. */
  chain: ChainedStep[];
  spending: Spending;
}

export function toApprovalView(snapshot: RunSnapshot, approval: ApprovalRow): ApprovalInRun {
  const { run } = snapshot;
  const call = callOf(snapshot, approval.callId);
  const { id, callId, stepId, status, version, workflow, agent, server, tool, danger, summary, rule } = approval;
  const { approvers, minApprovals, approvals, selfApproval, editable, onReject } = approval;
  const { policyHash, argumentsCanonical, agentSays, definitionFingerprint } = call;
  return {
    id,
    callId,
    runId: run.id,
    stepId,
    status,
    version,
    workflow,
    agent,
    server,
    tool,
    danger,
    summary,
    rule,
    approvers,
    minApprovals,
    approvals,
    selfApproval,
    editable,
    onReject,
    policyHash,
    arguments: call.arguments,
    argumentsCanonical,
    agentSays,
    definitionFingerprint,
    digest: approval.questionDigest,
    argumentsDigest: approval.digest,
    configHash: run.configHash,
    stepKey: stepKeyOf(snapshot, call),
    trace: call.trace as TraceEntry[],
    starterIds: run.starterIds,
    startedBy: run.startedBy.name,
    decisions: approval.decisions.map(toDecision),
    createdAt: new Date(approval.createdAt),
    expiresAt: toDate(approval.expiresAt),
    escalatedAt: toDate(approval.escalatedAt),
    decidedAt: toDate(approval.decidedAt),
    callers: callersOf(snapshot, call),
    chain: stepChainOf(snapshot, stepId),
    spending: spendingOf(snapshot),
  };
}

const toDecision = ({ userId, userName, token, verdict, comment, reason, at }: DecisionRow): ApprovalDecision => ({
  user: { id: userId, name: userName },
  token,
  verdict,
  comment,
  reason,
  at: new Date(at),
});

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

export async function getApproval(db: Db, approvalId: string): Promise<ApprovalInRun> {
  const approval = await findApproval(db, approvalId);
  if (!approval) throw noApproval(approvalId);
  return approval;
}

export const noApproval = (id: string) => new KimitsuError("not_found", `There is no approval ${id}.`);

export async function findApproval(db: Db, approvalId: string): Promise<ApprovalInRun | null> {
  const row = await db.approval.findUnique({ where: { id: approvalId }, select: { runId: true } });
  const run = row && (await readRunOf(db, row.runId));
  const approval = run?.snapshot.approvals.get(approvalId);
  return run && approval ? toApprovalView(run.snapshot, approval) : null;
}

export async function getRunIdOfApproval(db: Db, approvalId: string): Promise<string> {
  const row = await db.approval.findUnique({ where: { id: approvalId }, select: { runId: true } });
  if (!row) throw noApproval(approvalId);
  return row.runId;
}

/**
 * For showing: returns the journal's state even where the run's row differs. Throws `conflict` when the journal itself
 * was changed.
 */
export async function readRunOf(db: Pick<Db, "$queryRaw">, runId: string): Promise<OpenRun | null> {
  const read = await refuseChangedRecord(() => readOpenRun(db, runId));
  return read?.run ?? null;
}

/** Oldest first. */
export async function listOfRun(db: Db, runId: string): Promise<ApprovalInRun[]> {
  const run = await readRunOf(db, runId);
  return run ? viewsOf(run.snapshot) : [];
}

export const viewsOf = (snapshot: RunSnapshot): ApprovalInRun[] =>
  [...snapshot.approvals.values()]
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((approval) => toApprovalView(snapshot, approval));

export async function listPendingOfRun(db: Db, runId: string): Promise<ApprovalInRun[]> {
  return (await listOfRun(db, runId)).filter(({ status }) => status === "pending");
}

import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { ApprovalRule } from "@/lib/domain/policy/approval-rule";
import type { TraceEntry } from "@/lib/domain/policy/policy-answer";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";

export interface ApprovalDecision {
  user: { id: string; name: string };
  /** Set when the person decided through a token. */
  token: { id: string; name: string } | null;
  verdict: "approved" | "rejected";
  comment: string | null;
  reason: string | null;
  at: Date;
}

export interface ApprovalView {
  id: string;
  callId: string;
  runId: string;
  stepId: string;
  stepKey: string;
  status: ApprovalStatus;
  version: number;
  workflow: string;
  agent: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  digest: string;
  arguments: unknown;
  argumentsCanonical: string;
  agentSays: string | null;
  definitionFingerprint: string | null;
  rule: ApprovalRule;
  trace: TraceEntry[];
  approvers: string[];
  minApprovals: number;
  approvals: number;
  selfApproval: boolean;
  editable: boolean;
  onReject: string;
  startedByUserId: string | null;
  startedBy: string;
  decisions: ApprovalDecision[];
  createdAt: Date;
  expiresAt: Date | null;
  decidedAt: Date | null;
}

export const approvalInclude = {
  call: { select: { arguments: true, argumentsCanonical: true, agentSays: true, definitionFingerprint: true, trace: true, status: true, step: { select: { key: true } } } },
  run: { select: { startedByUserId: true, startedByName: true, status: true } },
  decisions: { include: { user: { select: { id: true, name: true } }, token: { select: { id: true, name: true } } }, orderBy: { id: "asc" } },
} satisfies Prisma.ApprovalInclude;

export type ApprovalWithCall = Prisma.ApprovalGetPayload<{ include: typeof approvalInclude }>;

export function toApprovalView(row: ApprovalWithCall): ApprovalView {
  const { call, run, decisions, rule, ...rest } = row;
  return {
    ...rest,
    stepKey: call.step.key,
    arguments: call.arguments,
    argumentsCanonical: call.argumentsCanonical,
    agentSays: call.agentSays,
    definitionFingerprint: call.definitionFingerprint,
    rule: rule as unknown as ApprovalRule,
    trace: call.trace as unknown as TraceEntry[],
    startedByUserId: run.startedByUserId,
    startedBy: run.startedByName,
    decisions: decisions.map(({ user, token, verdict, comment, reason, createdAt }) => ({ user, token, verdict, comment, reason, at: createdAt })),
  };
}

export async function getApproval(db: Db, approvalId: string): Promise<ApprovalView> {
  const row = await db.approval.findUnique({ where: { id: approvalId }, include: approvalInclude });
  if (!row) throw new KimitsuError("not_found", `There is no approval ${approvalId}.`);
  return toApprovalView(row);
}

export async function listPendingOfRun(db: Db, runId: string): Promise<ApprovalView[]> {
  const rows = await db.approval.findMany({ where: { runId, status: "pending" }, include: approvalInclude, orderBy: { id: "asc" } });
  return rows.map(toApprovalView);
}

/** The newest question about a call, whatever became of it. */
export async function findApprovalOfCall(db: Db, callId: string): Promise<ApprovalView | null> {
  const row = await db.approval.findFirst({ where: { callId }, include: approvalInclude, orderBy: { id: "desc" } });
  return row && toApprovalView(row);
}

import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { ApprovalRule } from "@/lib/domain/policy/approval-rule";
import type { TraceEntry } from "@/lib/domain/policy/policy-answer";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { nameSteps, outermostKey } from "@/lib/store/queries/step-names";
import { PLAN_ONCE } from "@/lib/store/plan-anew";
import { readStarters, STARTERS } from "@/lib/store/starters-sql";

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
  /** Of the project that the run was started with. */
  configHash: string;
  stepId: string;
  /** As the workflow's file names it. */
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
  /** Who started the run, or one that it is a retry of. */
  starterIds: string[];
  startedBy: string;
  decisions: ApprovalDecision[];
  createdAt: Date;
  expiresAt: Date | null;
  escalatedAt: Date | null;
  decidedAt: Date | null;
}

export const approvalInclude = {
  call: { select: { arguments: true, argumentsCanonical: true, agentSays: true, definitionFingerprint: true, trace: true, status: true, id: true, parentCallId: true, step: { select: { key: true } } } },
  run: { select: { id: true, startedByUserId: true, startedByName: true, retryOfRunId: true, configHash: true, status: true } },
  decisions: { include: { user: { select: { id: true, name: true } }, token: { select: { id: true, name: true } } }, orderBy: { id: "asc" } },
} satisfies Prisma.ApprovalInclude;

export type ApprovalWithCall = Prisma.ApprovalGetPayload<{ include: typeof approvalInclude }>;

/** All of them at once, because the steps of sub-agents' calls are looked up, and who started what a retry goes on from. */
export async function toApprovalViews(db: Db, rows: readonly ApprovalWithCall[]): Promise<ApprovalView[]> {
  const [nameOf, startersOf] = await Promise.all([nameSteps(db, rows.map(({ call }) => call)), readStarters(db, rows.map(({ run }) => run))]);
  return rows.map((row) => toApprovalView(row, nameOf(row.call), startersOf(row.runId)));
}

function toApprovalView(row: ApprovalWithCall, stepKey: string, starterIds: string[]): ApprovalView {
  const { call, run, decisions, rule, ...rest } = row;
  return {
    ...rest,
    stepKey,
    arguments: call.arguments,
    argumentsCanonical: call.argumentsCanonical,
    agentSays: call.agentSays,
    definitionFingerprint: call.definitionFingerprint,
    rule: rule as unknown as ApprovalRule,
    trace: call.trace as unknown as TraceEntry[],
    configHash: run.configHash,
    starterIds,
    startedBy: run.startedByName,
    decisions: decisions.map(({ user, token, verdict, comment, reason, createdAt }) => ({ user, token, verdict, comment, reason, at: createdAt })),
  };
}

export async function getApproval(db: Db, approvalId: string): Promise<ApprovalView> {
  const approval = await findApproval(db, approvalId);
  if (!approval) throw new KimitsuError("not_found", `There is no approval ${approvalId}.`);
  return approval;
}

/** In one statement: it is read before and after every decision. */
export async function findApproval(db: Db, approvalId: string): Promise<ApprovalView | null> {
  const [row] = await db.$queryRaw<{ view: StoredView }[]>`
    ${PLAN_ONCE}SELECT to_json(v) AS view FROM (
      SELECT a.id, a.call_id AS "callId", a.run_id AS "runId", r.config_hash AS "configHash", a.step_id AS "stepId", CASE WHEN c.parent_call_id IS NULL THEN s.key ELSE ${outermostKey} END AS "stepKey", a.status, a.version, a.workflow, a.agent, a.server,
        a.tool, a.danger, a.summary, a.digest, c.arguments, c.arguments_canonical AS "argumentsCanonical", c.agent_says AS "agentSays",
        c.definition_fingerprint AS "definitionFingerprint", a.rule, c.trace, a.approvers, a.min_approvals AS "minApprovals", a.approvals,
        a.self_approval AS "selfApproval", a.editable, a.on_reject AS "onReject", ${STARTERS} AS "starterIds", r.started_by_name AS "startedBy",
        (SELECT coalesce(json_agg(json_build_object('user', json_build_object('id', u.id, 'name', u.name),
            'token', CASE WHEN t.id IS NOT NULL THEN json_build_object('id', t.id, 'name', t.name) END,
            'verdict', d.verdict, 'comment', d.comment, 'reason', d.reason, 'at', d.created_at) ORDER BY d.id), '[]'::json)
          FROM decisions d JOIN users u ON u.id = d.user_id LEFT JOIN api_tokens t ON t.id = d.token_id WHERE d.approval_id = a.id) AS decisions,
        a.created_at AS "createdAt", a.expires_at AS "expiresAt", a.escalated_at AS "escalatedAt", a.decided_at AS "decidedAt"
      FROM approvals a JOIN calls c ON c.id = a.call_id JOIN steps s ON s.id = a.step_id JOIN runs r ON r.id = a.run_id
      WHERE a.id = ${approvalId}
    ) v`;
  if (!row) return null;
  const { view } = row;
  const dates = { createdAt: new Date(view.createdAt), expiresAt: toDate(view.expiresAt), escalatedAt: toDate(view.escalatedAt), decidedAt: toDate(view.decidedAt) };
  return { ...view, ...dates, decisions: view.decisions.map((decision) => ({ ...decision, at: new Date(decision.at) })) };
}

/** Dates are text in JSON. */
type StoredView = Omit<ApprovalView, "createdAt" | "expiresAt" | "escalatedAt" | "decidedAt" | "decisions"> & {
  createdAt: string;
  expiresAt: string | null;
  escalatedAt: string | null;
  decidedAt: string | null;
  decisions: (Omit<ApprovalDecision, "at"> & { at: string })[];
};

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

export async function listPendingOfRun(db: Db, runId: string): Promise<ApprovalView[]> {
  const rows = await db.approval.findMany({ where: { runId, status: "pending" }, include: approvalInclude, orderBy: { id: "asc" } });
  return toApprovalViews(db, rows);
}

/** The newest question about a call, whatever became of it. */
export async function findApprovalOfCall(db: Db, callId: string): Promise<ApprovalView | null> {
  const row = await db.approval.findFirst({ where: { callId }, include: approvalInclude, orderBy: { id: "desc" } });
  return row && ((await toApprovalViews(db, [row]))[0] ?? null);
}

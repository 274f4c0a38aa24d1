/**
 * The parts of a commit that write the rows of approvals. They read from `moved`, the run's row: if that was not
 * changed, nothing is written.
 */
import { APPROVAL_TRANSITIONS } from "@/lib/approvals/rules/approval-state";
import { Prisma } from "@/lib/database/generated/client";
import { fromStates } from "@/lib/runs/rules/transition-table";
import type { ApprovalRow } from "@/lib/runs/snapshot";

/** The inbox rows change only with the journal, so another version means that somebody else wrote it. */
export function areAsSeen(approvals: readonly ApprovalRow[]): Prisma.Sql {
  const seen = approvals.filter(isMoved).map(({ id, version }) => ({ id, version: version - 1 }));
  if (seen.length === 0) return Prisma.sql`true`;
  return Prisma.sql`NOT EXISTS (
        SELECT 1 FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) AS v (id text, version int)
          LEFT JOIN approvals a ON a.id = v.id WHERE a.version IS DISTINCT FROM v.version
            OR a.status <> ALL (${fromStates(APPROVAL_TRANSITIONS, "cancelled")}::approval_status[]))`;
}

/**
 * A new approval is inserted, and a known one is updated. When rows may differ from the journal (`despiteRow`), an
 * expected row may be missing, or a new one may already exist.
 */
export function writeQuestions(approvals: readonly ApprovalRow[], despiteRow: boolean): Prisma.Sql[] {
  if (approvals.length === 0) return [];
  if (despiteRow) return [insertQuestions(approvals, Prisma.sql`ON CONFLICT (id) DO UPDATE SET ${MOVES_EXCLUDED}`)];
  const asked = approvals.filter((approval) => !isMoved(approval));
  const moved = approvals.filter(isMoved);
  return [
    ...(asked.length > 0 ? [insertQuestions(asked, Prisma.empty)] : []),
    ...(moved.length > 0 ? [updateQuestions(moved)] : []),
  ];
}

const isMoved = ({ version }: ApprovalRow): boolean => version > 1;

const toRow = ({ decisions, ...row }: ApprovalRow) => ({ ...row, deciders: decisions.map(({ userId }) => userId) });

function insertQuestions(approvals: readonly ApprovalRow[], onConflict: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`asked AS (
      INSERT INTO approvals (id, call_id, run_id, step_id, status, workflow, agent, server, tool, danger, summary, digest,
        question_digest, rule, approvers, min_approvals, approvals, self_approval, editable, on_reject, timeout_behavior,
        escalate_to, version, expires_at, escalate_at, escalated_at, created_at, decided_at, deciders)
      SELECT a.id, a."callId", moved.id, a."stepId", a.status, a.workflow, a.agent, a.server, a.tool, a.danger, a.summary,
        a.digest, a."questionDigest", a.rule, a.approvers, a."minApprovals", a.approvals, a."selfApproval", a.editable,
        a."onReject", a."timeoutBehavior", a."escalateTo", a.version, a."expiresAt", a."escalateAt", a."escalatedAt",
        a."createdAt", a."decidedAt", a.deciders
      FROM moved, jsonb_to_recordset(${JSON.stringify(approvals.map(toRow))}::jsonb) AS a (${MOVING_TYPES}, "callId" text,
        "stepId" text, workflow text, agent text, server text, tool text, danger danger, "onReject" on_reject,
        "timeoutBehavior" timeout_behavior, "escalateTo" text[], "escalateAt" timestamptz, "createdAt" timestamptz)
      ${onConflict}
    )`;
}

/** Named again by their ids, so that each is found by its key however few rows there were when it was planned. */
function updateQuestions(approvals: readonly ApprovalRow[]): Prisma.Sql {
  const ids = approvals.map(({ id }) => id);
  return Prisma.sql`answered AS (
      UPDATE approvals SET ${MOVES_SEEN}
      FROM moved, jsonb_to_recordset(${JSON.stringify(approvals.map(toMovingRow))}::jsonb) AS a (${MOVING_TYPES})
      WHERE approvals.id = a.id AND approvals.id = ANY (${ids}::text[])
    )`;
}

/** What a change may update, as [column, name in JSON, type]. */
const MOVING = [
  ["status", "status", "approval_status"],
  ["summary", "summary", "text"],
  ["digest", "digest", "text"],
  ["question_digest", "questionDigest", "text"],
  ["rule", "rule", "jsonb"],
  ["approvers", "approvers", "text[]"],
  ["min_approvals", "minApprovals", "int"],
  ["approvals", "approvals", "int"],
  ["self_approval", "selfApproval", "boolean"],
  ["editable", "editable", "boolean"],
  ["version", "version", "int"],
  ["expires_at", "expiresAt", "timestamptz"],
  ["escalated_at", "escalatedAt", "timestamptz"],
  ["decided_at", "decidedAt", "timestamptz"],
  ["deciders", "deciders", "text[]"],
] as const;

const MOVING_TYPES = Prisma.raw(["id text", ...MOVING.map(([, name, type]) => `"${name}" ${type}`)].join(", "));
const MOVES_SEEN = Prisma.raw(MOVING.map(([column, name]) => `${column} = a."${name}"`).join(", "));
const MOVES_EXCLUDED = Prisma.raw(MOVING.map(([column]) => `${column} = excluded.${column}`).join(", "));

function toMovingRow(approval: ApprovalRow) {
  const row = toRow(approval);
  return { id: row.id, ...Object.fromEntries(MOVING.map(([, name]) => [name, row[name]])) };
}

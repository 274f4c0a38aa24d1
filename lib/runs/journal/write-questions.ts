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
  const open = Prisma.sql`${fromStates(APPROVAL_TRANSITIONS, "cancelled")}::approval_status[]`;
  const [only, ...others] = seen;
  if (!only) return Prisma.sql`true`;
  // Found by its id and then compared, so that no other index is used.
  if (others.length === 0)
    return Prisma.sql`(SELECT a.version = ${only.version} AND a.status = ANY (${open}) FROM approvals a WHERE a.id = ${only.id})`;
  return Prisma.sql`NOT EXISTS (
        SELECT 1 FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) AS v (id text, version int)
          LEFT JOIN approvals a ON a.id = v.id WHERE a.version IS DISTINCT FROM v.version OR a.status <> ALL (${open}))`;
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

function insertQuestions(approvals: readonly ApprovalRow[], onConflict: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`asked AS (
      INSERT INTO approvals (run_id, ${ALL_COLUMNS})
      SELECT moved.id, ${ALL_VALUES} FROM moved, ${rowsOf(approvals, WHOLE_ROW)}
      ${onConflict}
    )`;
}

/** Of several, the ids are named again: each is found by its key however few rows there were when it was planned. */
function updateQuestions(approvals: readonly ApprovalRow[]): Prisma.Sql {
  const ids = approvals.map(({ id }) => id);
  return Prisma.sql`answered AS (
      UPDATE approvals SET ${MOVES_SEEN} FROM moved, ${rowsOf(approvals, MOVING_PART)}
      WHERE approvals.id = a.id ${ids.length > 1 ? Prisma.sql`AND approvals.id = ANY (${ids}::text[])` : Prisma.empty}
    )`;
}

/** A column has the same name in a row of `a`. */
type Column = readonly [name: keyof ReturnType<typeof toRow>, type: string];

const ID: Column = ["id", "text"];

/** What a change may update. */
const MOVING: readonly Column[] = [
  ["status", "approval_status"],
  ["summary", "text"],
  ["digest", "text"],
  ["question_digest", "text"],
  ["rule", "jsonb"],
  ["approvers", "text[]"],
  ["min_approvals", "int"],
  ["approvals", "int"],
  ["self_approval", "boolean"],
  ["editable", "boolean"],
  ["version", "int"],
  ["expires_at", "timestamptz"],
  ["escalated_at", "timestamptz"],
  ["decided_at", "timestamptz"],
  ["deciders", "text[]"],
];

const COLUMNS: readonly Column[] = [
  ID,
  ["call_id", "text"],
  ["step_id", "text"],
  ["workflow", "text"],
  ["agent", "text"],
  ["server", "text"],
  ["tool", "text"],
  ["danger", "danger"],
  ["on_reject", "on_reject"],
  ["timeout_behavior", "timeout_behavior"],
  ["escalate_to", "text[]"],
  ["escalate_at", "timestamptz"],
  ["created_at", "timestamptz"],
  ...MOVING,
];

interface Part {
  columns: readonly Column[];
  parts: readonly string[];
}

const toPart = (columns: readonly Column[]): Part => ({ columns, parts: partsOf(columns) });
const WHOLE_ROW = toPart(COLUMNS);
const MOVING_PART = toPart([ID, ...MOVING]);

const list = (columns: readonly Column[], write: (name: string) => string): Prisma.Sql =>
  Prisma.raw(columns.map(([name]) => write(name)).join(", "));
const ALL_COLUMNS = list(COLUMNS, (name) => name);
const ALL_VALUES = list(COLUMNS, (name) => `a.${name}`);
const MOVES_SEEN = list(MOVING, (name) => `${name} = a.${name}`);
const MOVES_EXCLUDED = list(MOVING, (name) => `${name} = excluded.${name}`);

/** The text between the values of one row, made once: a statement of this many parts is slow to put together. */
function partsOf(columns: readonly Column[]): string[] {
  const end = (index: number) => (index + 1 < columns.length ? ", " : ") AS a");
  return ["(SELECT ", ...columns.map(([name, type], index) => `::${type} AS ${name}${end(index)}`)];
}

/** The approvals as rows of `a`. One alone, the usual case, costs Postgres less as parameters than as JSON. */
function rowsOf(approvals: readonly ApprovalRow[], { columns, parts }: Part): Prisma.Sql {
  const rows = approvals.map(toRow);
  const [only, ...others] = rows;
  if (only && others.length === 0) {
    const values = columns.map(([name, type]) => (type === "jsonb" ? JSON.stringify(only[name]) : only[name]));
    return new Prisma.Sql(parts, values);
  }
  const types = Prisma.raw(columns.map(([name, type]) => `${name} ${type}`).join(", "));
  return Prisma.sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS a (${types})`;
}

/** By the names of the columns. */
const toRow = (row: ApprovalRow) => ({
  id: row.id,
  call_id: row.callId,
  step_id: row.stepId,
  status: row.status,
  workflow: row.workflow,
  agent: row.agent,
  server: row.server,
  tool: row.tool,
  danger: row.danger,
  summary: row.summary,
  digest: row.digest,
  question_digest: row.questionDigest,
  rule: row.rule,
  approvers: row.approvers,
  min_approvals: row.minApprovals,
  approvals: row.approvals,
  self_approval: row.selfApproval,
  editable: row.editable,
  on_reject: row.onReject,
  timeout_behavior: row.timeoutBehavior,
  escalate_to: row.escalateTo,
  version: row.version,
  expires_at: row.expiresAt,
  escalate_at: row.escalateAt,
  escalated_at: row.escalatedAt,
  created_at: row.createdAt,
  decided_at: row.decidedAt,
  deciders: row.decisions.map(({ userId }) => userId),
});

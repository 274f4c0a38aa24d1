/**
 * Whether the rows of a run's approvals that still matter match its journal: people are shown the waiting ones, and a
 * granted one lets its call through.
 */
import { type ApprovalColumns, findChangedApproval } from "@/lib/approvals/rules/changed-approval";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { READ_IN_GROUP } from "@/lib/database/plan-anew";
import type { Folded } from "@/lib/runs/journal/fold";
import { isCallSettled } from "@/lib/runs/rules/call-state";
import type { ApprovalRow, RunSnapshot } from "@/lib/runs/snapshot";

/** For a statement with the approval `a`: what the journal is compared with. */
export const APPROVAL_COLUMNS = Prisma.sql`a.call_id AS "callId", a.step_id AS "stepId", a.status, a.workflow, a.agent, a.server,
  a.tool, a.danger, a.summary, a.digest, a.question_digest AS "questionDigest", a.rule, a.approvers,
  a.min_approvals AS "minApprovals", a.approvals, a.self_approval AS "selfApproval", a.editable, a.on_reject AS "onReject",
  a.version, a.expires_at AS "expiresAt"`;

/** What was changed in the database; null when all agree, or the run has advanced since it was folded. */
export async function findChangedQuestion(
  db: Pick<Db, "$queryRaw">,
  { snapshot, head }: Folded,
): Promise<string | null> {
  const open = [...snapshot.approvals.values()].filter((approval) => isOpen(snapshot, approval));
  return open.length === 0 ? null : findChanged(db, open, { runId: snapshot.run.id, seq: head.seq });
}

/** For a granted one, which no change of its run moves any more. */
export const findChangedGrant = (
  db: Pick<Db, "$queryRaw">,
  runId: string,
  approval: ApprovalRow,
): Promise<string | null> => findChanged(db, [approval], { runId, seq: null });

function isOpen({ calls }: RunSnapshot, { id, status, callId }: ApprovalRow): boolean {
  if (status === "pending") return true;
  const call = calls.get(callId);
  return status === "approved" && call?.approval?.id === id && !isCallSettled(call.status);
}

type Row = ApprovalColumns & { id: string; runId: string };

async function findChanged(
  db: Pick<Db, "$queryRaw">,
  sealed: readonly ApprovalRow[],
  { runId, seq }: { runId: string; seq: number | null },
): Promise<string | null> {
  const ids = sealed.map(({ id }) => id);
  // Starts from the run's row, so that it is known whether the run has advanced even if the rows of the approvals are
  // gone.
  const rows = await db.$queryRaw<({ seq: number } & (Row | { id: null }))[]>`${READ_IN_GROUP}SELECT r.seq, a.id,
      a.run_id AS "runId", ${APPROVAL_COLUMNS}
    FROM runs r LEFT JOIN approvals a ON a.id = ANY (${ids}::text[]) WHERE r.id = ${runId}`;
  if (seq !== null && rows[0]?.seq !== seq) return null;
  const byId = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row] as const])));
  for (const approval of sealed) {
    const problem = problemOf(byId.get(approval.id), approval, runId);
    if (problem) return `of question ${approval.id}, ${problem}`;
  }
  return null;
}

function problemOf(row: Row | undefined, sealed: ApprovalRow, runId: string): string | null {
  if (!row) return "the row is gone";
  if (row.runId !== runId) return `its run is ${row.runId} on the row and ${runId} on the sealed trail`;
  return findChangedApproval(row, sealed);
}

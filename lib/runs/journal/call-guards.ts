/**
 * What must hold at the moment a call begins and is in no journal: that nothing is paused, and that those who approved
 * it may still decide.
 */
import { mayDecide } from "@/lib/approvals/transitions/eligible-sql";
import type { Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import type { ApprovalRow, CallRow, RunRow } from "@/lib/runs/snapshot";

export const IS_NOT_PAUSED = Prisma.sql`NOT EXISTS (SELECT 1 FROM settings WHERE key = 'dispatch.paused' AND value = 'true'::jsonb)`;

/**
 * Enough of those who approved this exact question may still decide. What they approved is sealed; what they may do is
 * not.
 */
export function isGranted(call: CallRow, approval: ApprovalRow, { starterIds }: RunRow): Prisma.Sql {
  const { questionDigest, selfApproval, minApprovals, approvers } = approval;
  const agreed = approval.decisions
    .filter(({ verdict, digest }) => verdict === "approved" && digest === questionDigest)
    .map(({ userId }) => userId)
    .filter((userId) => selfApproval || !starterIds.includes(userId));
  if (approval.status !== "approved" || approval.digest !== call.digest) return Prisma.sql`false`;
  // Found by its id and then compared: with the rest as conditions Postgres would use an index of all equal calls.
  return Prisma.sql`(
      SELECT a.status = 'approved' AND a.digest = ${approval.digest} AND a.question_digest = ${questionDigest}
        AND a.server = ${call.server} AND a.tool = ${call.tool} AND a.call_id = ${call.id} AND a.version = ${approval.version}
        AND a.min_approvals = ${minApprovals} AND a.approvals = ${approval.approvals} AND a.self_approval = ${selfApproval}
      FROM approvals a WHERE a.id = ${approval.id})
    AND ${minApprovals} <= (SELECT count(*) FROM users u
      WHERE u.id = ANY (${agreed}::text[]) AND ${mayDecide(approvers)})`;
}

/** Whether all of them hold now: the reason for a refused commit may be gone. */
export async function doHold(db: Statements, guards: readonly Prisma.Sql[]): Promise<boolean> {
  const [row] = await db.$queryRaw<{ holds: boolean | null }[]>`SELECT ${Prisma.join([...guards], " AND ")} AS holds`;
  return row?.holds === true;
}

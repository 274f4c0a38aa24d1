/** What must hold in the moment in which a call is begun and no journal says: that nothing is paused, and that those who approved it may still decide. */
import { mayDecide } from "@/lib/approvals/transitions/eligible-sql";
import type { Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import type { ApprovalRow, CallRow, RunRow } from "@/lib/runs/snapshot";

export const IS_NOT_PAUSED = Prisma.sql`NOT EXISTS (SELECT 1 FROM settings WHERE key = 'dispatch.paused' AND value = 'true'::jsonb)`;

/**
 * Enough of those who approved this very question may still decide. What they approved is sealed; what they may is not.
 */
export function isGranted(call: CallRow, approval: ApprovalRow, { starterIds }: RunRow): Prisma.Sql {
  const { questionDigest, selfApproval, minApprovals, approvers } = approval;
  const agreed = approval.decisions
    .filter(({ verdict, digest }) => verdict === "approved" && digest === questionDigest)
    .map(({ userId }) => userId)
    .filter((userId) => selfApproval || !starterIds.includes(userId));
  if (approval.status !== "approved" || approval.digest !== call.digest) return Prisma.sql`false`;
  // Found by its id and then looked at: as a condition the rest would be found by an index of all calls that are alike.
  return Prisma.sql`(
      SELECT a.status = 'approved' AND a.digest = ${approval.digest} AND a.question_digest = ${questionDigest}
        AND a.server = ${call.server} AND a.tool = ${call.tool} AND a.call_id = ${call.id} AND a.version = ${approval.version}
        AND a.min_approvals = ${minApprovals} AND a.approvals = ${approval.approvals} AND a.self_approval = ${selfApproval}
      FROM approvals a WHERE a.id = ${approval.id})
    AND ${minApprovals} <= (SELECT count(*) FROM users u
      WHERE u.id = ANY (${agreed}::text[]) AND ${mayDecide(Prisma.sql`${approvers}::text[]`)})`;
}

/** Whether all of them hold now: what refused a commit a moment ago may be over. */
export async function doHold(db: Statements, guards: readonly Prisma.Sql[]): Promise<boolean> {
  const [row] = await db.$queryRaw<{ holds: boolean | null }[]>`SELECT ${Prisma.join([...guards], " AND ")} AS holds`;
  return row?.holds === true;
}

import type { Session } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { findCardContext } from "@/lib/approvals/find-card-context";
import { findRuntime } from "@/lib/runs/runtime";
import { type ApprovalCard, findCard } from "@/lib/approvals/queries/find-card";
import { findApproval } from "@/lib/approvals/queries/get-approval";

/** The card as this person sees it. A process without a project shows what is recorded; it decides nothing. */
export async function readCard({ user }: Session, approvalId: string, now: Date): Promise<ApprovalCard | null> {
  const { db } = engineDeps();
  const approval = await findApproval(db, approvalId);
  if (!approval) return null;
  const runtime = findRuntime();
  const context = runtime ? await findCardContext(runtime, approval) : undefined;
  return findCard(db, approvalId, { reader: { userId: user.id, role: user.role, groups: user.groups }, now, context });
}

import type { Session } from "@/lib/auth/session";
import { engineDeps } from "@/lib/engine/deps";
import { findCardContext } from "@/lib/engine/find-card-context";
import { findRuntime } from "@/lib/engine/runtime";
import { type ApprovalCard, findCard } from "@/lib/store/queries/find-card";
import { findApproval } from "@/lib/store/queries/get-approval";

/** The card as this person sees it. A process without a project shows what is on record; it decides nothing. */
export async function readCard({ user }: Session, approvalId: string, now: Date): Promise<ApprovalCard | null> {
  const { db } = engineDeps();
  const approval = await findApproval(db, approvalId);
  if (!approval) return null;
  const runtime = findRuntime();
  const context = runtime ? await findCardContext(runtime, approval) : undefined;
  return findCard(db, approvalId, { userId: user.id, role: user.role, groups: user.groups }, now, context);
}

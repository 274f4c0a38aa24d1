/** Gives people more time to decide: half an hour more than is left, and never less. */
import type { Actor } from "@/lib/domain/actor";
import type { EngineDeps } from "@/lib/engine/deps";
import { KimitsuError } from "@/lib/errors";
import { getApproval } from "@/lib/store/queries/get-approval";
import { extendApprovalRow } from "@/lib/store/transitions/extend-approval";

export async function extendApproval(deps: EngineDeps, actor: Actor, wish: { approvalId: string; byMs: number }): Promise<{ expiresAt: Date }> {
  const approval = await getApproval(deps.db, wish.approvalId);
  if (!approval.expiresAt) throw new KimitsuError("conflict", `Approval ${approval.id} does not expire; nothing was changed.`);
  const expiresAt = new Date(approval.expiresAt.getTime() + wish.byMs);
  const done = await extendApprovalRow(deps.db, { id: approval.id, runId: approval.runId, expiresAt }, actor, deps.now());
  if (!done) throw new KimitsuError("conflict", `Approval ${approval.id} is decided or has expired; nothing was changed.`);
  return { expiresAt };
}

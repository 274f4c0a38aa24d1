/** Gives people more time to decide. Only who could decide may: others could keep a call open that they have no say in. */
import { refusalToDecide } from "@/lib/domain/eligibility";
import type { DecidedBy } from "@/lib/engine/decide-approval";
import type { EngineDeps } from "@/lib/engine/deps";
import { KimitsuError } from "@/lib/errors";
import { getApproval } from "@/lib/store/queries/get-approval";
import { extendApprovalRow } from "@/lib/store/transitions/extend-approval";

export async function extendApproval(deps: EngineDeps, by: DecidedBy, wish: { approvalId: string; byMs: number }): Promise<{ expiresAt: Date }> {
  const approval = await getApproval(deps.db, wish.approvalId);
  const refusal = refusalToDecide(by, approval);
  if (refusal) throw new KimitsuError("forbidden", `Only who could decide can give more time. ${refusal} Nothing was changed.`);
  if (!approval.expiresAt) throw new KimitsuError("conflict", `Approval ${approval.id} does not expire; nothing was changed.`);
  const expiresAt = new Date(approval.expiresAt.getTime() + wish.byMs);
  const done = await extendApprovalRow(deps.db, { id: approval.id, runId: approval.runId, expiresAt }, by.actor, deps.now());
  if (!done) throw new KimitsuError("conflict", `Approval ${approval.id} is decided or has expired; nothing was changed.`);
  return { expiresAt };
}

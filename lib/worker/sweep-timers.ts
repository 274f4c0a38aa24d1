import { TIMER_SWEEP_BATCH } from "@/lib/domain/limits";
import type { EngineDeps } from "@/lib/engine/deps";
import { listEscalating, listExpired } from "@/lib/store/queries/list-due-approvals";
import { escalateApprovalRow } from "@/lib/store/transitions/escalate-approval";
import { expireApprovalRow } from "@/lib/store/transitions/expire-approval";

/** Timers are rows: whichever process comes first expires or escalates what is due; the others find it done. */
export async function sweepTimers(deps: EngineDeps, wake: (runId: string) => void): Promise<void> {
  for (const approval of await listExpired(deps.db, deps.now(), TIMER_SWEEP_BATCH)) {
    if (await expireApprovalRow(deps.db, approval, deps.now())) wake(approval.runId);
  }
  for (const approval of await listEscalating(deps.db, deps.now(), TIMER_SWEEP_BATCH)) {
    await escalateApprovalRow(deps.db, { ...approval, to: approval.escalateTo }, deps.now());
  }
}

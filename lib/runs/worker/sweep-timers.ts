import { escalateApproval } from "@/lib/approvals/escalate-approval";
import { expireApproval } from "@/lib/approvals/expire-approval";
import { type DueApproval, listEscalating, listExpired } from "@/lib/approvals/queries/list-due-approvals";
import type { EngineDeps } from "@/lib/database/deps";
import { TIMER_SWEEP_BATCH } from "@/lib/limits";
import { recordApprovalEnded } from "@/lib/telemetry/record-run";

/** Timers are rows: whichever process comes first expires or escalates what is due; the others find it done. */
export async function sweepTimers(deps: EngineDeps, wake: (runId: string) => void): Promise<void> {
  await sweep(
    () => listExpired(deps.db, deps.now(), TIMER_SWEEP_BATCH),
    async (approval) => {
      const endedAt = deps.now();
      if (!(await expireApproval(deps.db, approval, endedAt))) return false;
      recordApprovalEnded({ ...approval, outcome: "expired", endedAt });
      wake(approval.runId);
      return true;
    },
  );
  await sweep(
    () => listEscalating(deps.db, deps.now(), TIMER_SWEEP_BATCH),
    (approval) => escalateApproval(deps.db, approval, deps.now()),
  );
}

/**
 * A failure does not delay the others; the first one is thrown when all had their turn. A row that was changed by hand
 * may stay due for ever, so the sweep continues only while it makes progress.
 */
async function sweep(
  list: () => Promise<DueApproval[]>,
  settle: (due: DueApproval) => Promise<boolean>,
): Promise<void> {
  for (let isOfUse = true; isOfUse;) {
    const due = await list();
    let failure: { error: unknown } | undefined;
    isOfUse = false;
    for (const entry of due) {
      const isSettled = await settle(entry).catch((error: unknown) => void (failure ??= { error }));
      if (isSettled) isOfUse = true;
    }
    if (failure) throw failure.error;
    if (due.length < TIMER_SWEEP_BATCH) return;
  }
}

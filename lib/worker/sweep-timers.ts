import { TIMER_SWEEP_BATCH } from "@/lib/domain/limits";
import type { EngineDeps } from "@/lib/engine/deps";
import { listEscalating, listExpired } from "@/lib/store/queries/list-due-approvals";
import { escalateApprovalRow } from "@/lib/store/transitions/escalate-approval";
import { expireApprovalRow } from "@/lib/store/transitions/expire-approval";
import { tellApprovalEnded } from "@/lib/telemetry/tell-run";

/** Timers are rows: whichever process comes first expires or escalates what is due; the others find it done. */
export async function sweepTimers(deps: EngineDeps, wake: (runId: string) => void): Promise<void> {
  await sweep(
    () => listExpired(deps.db, deps.now(), TIMER_SWEEP_BATCH),
    async (approval) => {
      const endedAt = deps.now();
      if (!(await expireApprovalRow(deps.db, approval, endedAt))) return;
      tellApprovalEnded({ ...approval, outcome: "expired", endedAt });
      wake(approval.runId);
    },
  );
  await sweep(
    () => listEscalating(deps.db, deps.now(), TIMER_SWEEP_BATCH),
    async (approval) => void (await escalateApprovalRow(deps.db, { ...approval, to: approval.escalateTo }, deps.now())),
  );
}

/** One that fails keeps none of the others waiting; the first failure is told when all had their turn. */
async function sweep<Due>(list: () => Promise<Due[]>, settle: (due: Due) => Promise<void>): Promise<void> {
  for (;;) {
    const due = await list();
    let failure: { error: unknown } | undefined;
    for (const entry of due) await settle(entry).catch((error: unknown) => (failure ??= { error }));
    if (failure) throw failure.error;
    if (due.length < TIMER_SWEEP_BATCH) return;
  }
}

/** What is still open in a run when it ends: each part ends with it, and gets its event. */
import type { Actor } from "@/lib/people/rules/actor";
import { AGENTS_SERVER, type CallStatus, RUN_ENDED, SERVER_AWAY } from "@/lib/runs/rules/call-state";
import { isStepSettled } from "@/lib/runs/rules/step-state";
import type { EventDraft } from "@/lib/runs/changes/change";
import { moveApproval, moveCall, moveStep } from "@/lib/runs/changes/move";
import { withoutWait } from "@/lib/runs/changes/step-moved";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface LeftOpen {
  steps: { id: string; key: string }[];
  calls: { id: string; stepId: string; server: string; tool: string; to: "cancelled" | "failed" | "outcome_unknown" }[];
  approvals: { id: string; callId: string }[];
}

export const nothingOpen = (): LeftOpen => ({ steps: [], calls: [], approvals: [] });

const NEVER_SENT: readonly CallStatus[] = ["approved", "pending_approval"];

export function findLeftOpen({ steps, calls, approvals }: RunSnapshot): LeftOpen {
  return {
    steps: [...steps.values()].filter(({ status }) => !isStepSettled(status)).map(({ id, key }) => ({ id, key })),
    calls: [...calls.values()].flatMap(({ id, stepId, server, tool, status }) => {
      const to = endOf(status, server);
      return to ? [{ id, stepId, server, tool, to }] : [];
    }),
    approvals: [...approvals.values()]
      .filter(({ status }) => status === "pending")
      .map(({ id, callId }) => ({ id, callId })),
  };
}

/**
 * A sub-agent works within this system, so it is known to have ended; for anything else that was sent the answer will
 * not be recorded.
 */
function endOf(status: CallStatus, server: string): "cancelled" | "failed" | "outcome_unknown" | null {
  if (NEVER_SENT.includes(status)) return "cancelled";
  if (status !== "executing") return null;
  return server === AGENTS_SERVER ? "failed" : "outcome_unknown";
}

export function leftOpenEvents({ steps, calls, approvals }: LeftOpen, actor?: Actor): EventDraft[] {
  const drafts: EventDraft[] = [
    ...approvals.map(({ id, callId }) => ({ type: "approval.cancelled", data: { approval_id: id, call_id: callId } })),
    ...calls.map(({ id, stepId, server, tool, to }) => ({
      type: `call.${to}`,
      data: { call_id: id, step_id: stepId, server, tool, ...(to === "failed" ? { code: RUN_ENDED.code } : {}) },
    })),
    ...steps.map(({ id, key }) => ({ type: "step.cancelled", data: { step: key, step_id: id } })),
  ];
  return drafts.map((draft) => (actor ? { ...draft, actor } : draft));
}

export function endLeftOpen(snapshot: RunSnapshot, { steps, calls, approvals }: LeftOpen, at: string): void {
  for (const { id } of approvals) moveApproval(snapshot, id, { to: "cancelled", at });
  for (const { id, to } of calls) {
    const call = moveCall(snapshot, id, { to, at });
    if (to === "failed") call.error = { ...RUN_ENDED };
    else if (call.error?.code === SERVER_AWAY) call.error = null;
  }
  for (const { id } of steps) {
    const step = moveStep(snapshot, id, { to: "cancelled", at });
    step.error = withoutWait(step);
  }
}

/** From here on a call counts as sent: on record before any byte leaves. It uses up the grant, and is charged. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { callOf, moveCall } from "@/lib/runs/changes/move";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import type { RowEvent } from "@/lib/runs/changes/row-events";
import { addUsd, budgetWarning, spend } from "@/lib/runs/changes/spend";
import type { CallRow, RunSnapshot } from "@/lib/runs/snapshot";

export interface CallExecuting extends Change {
  kind: "call_executing";
  callId: string;
  digest: string;
  epoch: number;
  warnsOfBudget: boolean;
}

export function executeCall(
  snapshot: RunSnapshot,
  call: CallRow,
  { epoch, at }: { epoch: number; at: string },
): CallExecuting {
  const warnsOfBudget = budgetWarning(snapshot.run, call.costUsd);
  return { kind: "call_executing", at, callId: call.id, digest: call.digest, epoch, warnsOfBudget };
}

export const callExecuting: ChangeKind<CallExecuting> = {
  kind: "call_executing",
  events: ({ callId, digest, epoch, warnsOfBudget }) => [
    { type: "call.executing", data: { call_id: callId, digest, epoch } },
    ...(warnsOfBudget ? [spend.warning] : []),
  ],
  apply(snapshot, { callId, epoch, at }) {
    // A call that may be sent twice can be begun again while it is on record as begun.
    const before = callOf(snapshot, callId);
    if (before.status === "executing" && !before.retrySafe)
      throw new Error(`unreachable: call ${callId} was sent before`);
    const call = moveCall(snapshot, callId, { to: "executing", at });
    Object.assign(call, { executingAt: at, epoch, attempt: call.attempt + 1, error: null });
    snapshot.run.costUsd = addUsd(snapshot.run.costUsd, call.costUsd);
  },
  keep: (change, _run, [event]) => leaveOut(change, told(event)),
  open: (kept: CallExecuting, _run, events) => ({ ...told(events.take("call.executing")), ...kept }),
};

/** What its event says of it. */
const told = (event: RowEvent | null | undefined): Partial<CallExecuting> => ({
  warnsOfBudget: false,
  ...(event && {
    callId: event.data.call_id as string,
    digest: event.data.digest as string,
    epoch: event.data.epoch as number,
  }),
});

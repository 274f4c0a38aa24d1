/**
 * Nothing of a call left this process, so it is approved as before: to be asked again, resumed, or, if its server is
 * away, tried again at the time in `wait`.
 */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { refund } from "@/lib/runs/changes/call-ended";
import { moveCall } from "@/lib/runs/changes/move";
import type { ServerWait } from "@/lib/runs/snapshot";

export interface CallNotSent extends Change {
  kind: "call_not_sent";
  callId: string;
  /** Whether this try was on record as sent. */
  begun: boolean;
  refundUsd: number;
  wait: ServerWait | null;
}

export const callNotSent: ChangeKind<CallNotSent> = {
  kind: "call_not_sent",
  events({ callId, begun, wait }) {
    const waits = wait ? { code: wait.code, tries: wait.tries, until: wait.until } : {};
    return [{ type: "call.not_sent", data: { call_id: callId, ...(begun ? {} : { begun }), ...waits } }];
  },
  apply(snapshot, { callId, refundUsd, wait, at }) {
    const call = moveCall(snapshot, callId, { to: "approved", at });
    call.executingAt = null;
    if (wait) call.error = wait;
    refund(snapshot.run, refundUsd);
  },
};

/** A call that was approved and not even begun ends: its server was away for too long. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveCall } from "@/lib/runs/changes/move";
import type { CallError } from "@/lib/runs/snapshot";

export interface CallGivenUp extends Change {
  kind: "call_given_up";
  callId: string;
  error: CallError;
}

export const callGivenUp: ChangeKind<CallGivenUp> = {
  kind: "call_given_up",
  events: ({ callId, error }) => [{ type: "call.failed", data: { call_id: callId, code: error.code } }],
  apply(snapshot, { callId, error, at }) {
    moveCall(snapshot, callId, { to: "failed", at }).error = error;
  },
};

/**
 * The outcome of a call is unknown: a worker died after it was on record as sent, or the database may have lost that
 * record. A person checks before anything more happens to it.
 */
import { COMMITS_LOST } from "@/lib/runs/rules/call-state";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveCall } from "@/lib/runs/changes/move";

export interface CallUnknown extends Change {
  kind: "call_unknown";
  callId: string;
  /** Commits of the run may have been lost. */
  isCommitLost: boolean;
}

export const callUnknown: ChangeKind<CallUnknown> = {
  kind: "call_unknown",
  events: ({ callId, isCommitLost }) => [
    { type: "call.outcome_unknown", data: { call_id: callId, ...(isCommitLost ? { ...COMMITS_LOST } : {}) } },
  ],
  apply(snapshot, { callId, isCommitLost, at }) {
    const call = moveCall(snapshot, callId, { to: "outcome_unknown", at });
    call.executingAt ??= at;
    if (isCommitLost) call.error = { ...COMMITS_LOST };
  },
};

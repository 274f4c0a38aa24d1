/**
 * A person says what became of a call whose outcome is unknown: it happened, it did not (so it is sent), or it failed.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { digestOutput } from "@/lib/text/digest";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveCall } from "@/lib/runs/changes/move";

export interface CallSettled extends Change {
  kind: "call_settled";
  callId: string;
  to: "succeeded" | "approved" | "failed";
  /** Left out where the tool's own answer is on record. */
  result?: unknown;
  comment: string | null;
  actor: Actor;
}

const SETTLED_AS_FAILED = { code: "settled_as_failed", message: "A person settled this call as failed." } as const;

export const callSettled: ChangeKind<CallSettled> = {
  kind: "call_settled",
  events({ callId, to, result, comment, actor }) {
    const kept = result === undefined ? {} : { result: digestOutput(result) };
    return [{ type: "call.settled", actor, data: { call_id: callId, to, comment, ...kept } }];
  },
  apply(snapshot, { callId, to, result, at }) {
    const call = moveCall(snapshot, callId, { to, at });
    if (result !== undefined) call.result = result;
    call.error = to === "failed" ? { ...SETTLED_AS_FAILED } : null;
    if (to === "approved") call.executingAt = null;
    call.settledAt = at;
  },
};

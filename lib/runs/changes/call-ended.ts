/** The outcome of a call that was sent, or that it is unknown. */
import { digestOutput } from "@/lib/text/digest";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import { moveCall } from "@/lib/runs/changes/move";
import { addUsd } from "@/lib/runs/changes/spend";
import type { CallError } from "@/lib/runs/snapshot";

export interface CallEnded extends Change {
  kind: "call_ended";
  callId: string;
  status: "succeeded" | "failed" | "outcome_unknown";
  result: unknown;
  error: CallError | null;
  durationMs: number;
  /** The cost of the call, when it is certain that it was not sent. */
  refundUsd: number;
}

export const callEnded: ChangeKind<CallEnded> = {
  kind: "call_ended",
  events({ callId, status, result, error, durationMs }) {
    const code = error ? { code: error.code } : {};
    const data = { call_id: callId, duration_ms: durationMs, result: digestOutput(result), ...code };
    return [{ type: `call.${status}`, data }];
  },
  apply(snapshot, { callId, status, result, error, refundUsd, at }) {
    Object.assign(moveCall(snapshot, callId, { to: status, at }), { result: result ?? null, error });
    refund(snapshot.run, refundUsd);
  },
  keep: (change) => leaveOut(change, usual()),
  open: (kept: CallEnded) => ({ ...usual(), ...kept }),
};

const usual = () => ({ error: null, refundUsd: 0 });

export function refund(run: { costUsd: number }, usd: number): void {
  run.costUsd = Math.max(addUsd(run.costUsd, -usd), 0);
}

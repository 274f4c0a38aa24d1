/**
 * A grant that no longer fits (another definition, a stricter rule, a disabled approver) is withdrawn, and people are
 * asked again, or the call is refused outright. The old approval stays on record as it was decided.
 */
import { callRecord, questionRecord } from "@/lib/runs/changes/call-record";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveCall, stepOf } from "@/lib/runs/changes/move";
import { addApproval, type NewApproval } from "@/lib/runs/changes/turn-recorded";
import type { CallError, CallRow } from "@/lib/runs/snapshot";

export type AskedCall = Pick<
  CallRow,
  | "id"
  | "stepId"
  | "server"
  | "tool"
  | "danger"
  | "arguments"
  | "argumentsCanonical"
  | "digest"
  | "definitionFingerprint"
> &
  Pick<CallRow, "policyHash" | "trace" | "summary" | "retrySafe">;

export interface CallAskedAgain extends Change {
  kind: "call_asked_again";
  call: AskedCall;
  why: string;
  /** Which part of its record was changed by hand. */
  problem?: string;
  /** Null when the call is refused. */
  approval: NewApproval | null;
  error: CallError | null;
}

export const callAskedAgain: ChangeKind<CallAskedAgain> = {
  kind: "call_asked_again",
  events({ call, why, problem, approval, error }) {
    const data = { ...callRecord({ ...call, error }), why, ...(problem === undefined ? {} : { problem }) };
    if (!approval) return [{ type: "call.denied", data }];
    return [
      { type: "call.asked_again", data },
      { type: "approval.requested", data: questionRecord(approval, call.trace) },
    ];
  },
  approvals: ({ approval }) => (approval ? [approval.id] : []),
  apply(snapshot, { call, approval, error, at }) {
    const row = moveCall(snapshot, call.id, { to: approval ? "pending_approval" : "denied", at });
    Object.assign(row, call, { error });
    if (!approval) return;
    addApproval(snapshot, approval, at);
    const step = stepOf(snapshot, approval.stepId);
    if (step.status === "running") step.status = "pending_approval";
  },
};

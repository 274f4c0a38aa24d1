/** How far the call of a client is, from the fold of its run. Pure. */
import type { ClientCallState } from "@/lib/proxy/client-calls";
import { toCallResult } from "@/lib/runs/rules/call-result";
import type { CallRow, RunSnapshot } from "@/lib/runs/snapshot";

export function toClientState({ run, calls }: RunSnapshot): ClientCallState {
  const [call] = calls.values();
  if (!call) throw new Error(`unreachable: run ${run.id} of a client has no call`);
  const { id: callId, server, tool, status, approval } = call;
  const base = { callId, runId: run.id, server, tool };
  switch (status) {
    case "pending_approval":
      if (!approval) throw new Error(`unreachable: call ${callId} waits for people, and nobody was asked`);
      return { ...base, kind: "pending_approval", approvalId: approval.id, expiresAt: approval.expiresAt };
    case "approved":
    case "executing":
      return { ...base, kind: "running" };
    case "outcome_unknown":
      return { ...base, kind: "outcome_unknown", message: call.error?.message ?? UNKNOWN };
    default:
      return {
        ...base,
        kind: "ended",
        outcome: status,
        result: toCallResult(call),
        error: errorOf(call, run.error?.message),
        editedArguments: approval?.edited ? (call.arguments as Record<string, unknown>) : null,
      };
  }
}

const UNKNOWN = "It was sent, and it is not known what became of it.";

function errorOf({ status, error, approval }: CallRow, reasonOfRun: string | undefined) {
  if (status === "succeeded") return null;
  const reason = approval?.reason ?? error?.message ?? reasonOfRun ?? "";
  return { code: error?.code ?? status, message: reason === "" ? (WORDS[status] ?? WORDS.failed) : reason };
}

const WORDS = {
  rejected: "A reviewer rejected the call.",
  expired: "Nobody decided about the call in time.",
  cancelled: "The call was cancelled before it was sent.",
  denied: "The policy does not permit the call.",
  failed: "The call failed.",
} as Partial<Record<CallRow["status"], string>> & { failed: string };

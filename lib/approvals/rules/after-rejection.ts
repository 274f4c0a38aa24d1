/** What follows for the step and for the model when people did not approve a call. Pure. */
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { CallRow } from "@/lib/runs/snapshot";

/** How often `retry` lets the agent replace a refused call, for one tool in one step. */
export const RETRIES_AFTER_REJECTION = 2;

/** What ends when an agent's step fails: everything above it that cannot continue without it. */
export type FailureReach =
  | { ends: "run" }
  /** The call of an MCP client, which is told why it was not made. */
  | { ends: "call" }
  /** One item of a fan-out that tolerates this failure. */
  | { ends: "item" }
  /** The calling agent is notified that the sub-agent failed, and continues. */
  | { ends: "subagent"; agent: string; caller: string };

export interface RefusedCall {
  server: string;
  tool: string;
  status: "rejected" | "expired" | "cancelled";
  reason: string | null;
  rule: Pick<ApprovalRule, "onReject" | "timeoutBehavior">;
  /** Calls of the same tool that were refused earlier in this step. */
  refusedBefore: number;
}

export type RejectionEffect =
  | { kind: "fail_step"; code: "call_rejected" | "call_expired"; message: string }
  | { kind: "go_on" }
  | { kind: "withdraw_tool" }
  | { kind: "degrade" };

export function effectOfRefusal(call: RefusedCall): RejectionEffect {
  const name = `${call.server}.${call.tool}`;
  const failed = (why: string): RejectionEffect => ({
    kind: "fail_step",
    code: call.status === "expired" ? "call_expired" : "call_rejected",
    message: `${name} was ${call.status}${call.reason ? ` (${call.reason})` : ""}${why}.`,
  });
  if (call.status === "expired" && call.rule.timeoutBehavior === "fail")
    return failed(", and the rule says that the step then fails");
  switch (call.rule.onReject) {
    case "fail":
      return failed("");
    case "recover":
      return { kind: "go_on" };
    case "retry":
      return call.refusedBefore >= RETRIES_AFTER_REJECTION
        ? failed(` ${call.refusedBefore + 1} times`)
        : { kind: "go_on" };
    case "skip":
      return { kind: "withdraw_tool" };
    case "degrade":
      return { kind: "degrade" };
  }
}

/** What the model gets: data, not prose that it could mistake for an instruction. */
export function refusalForModel(call: RefusedCall) {
  return {
    status: call.status,
    tool: `${call.server}.${call.tool}`,
    reason: call.reason,
    on_reject: call.rule.onReject,
    tries_left:
      call.rule.onReject === "retry"
        ? Math.max(RETRIES_AFTER_REJECTION - call.refusedBefore, 0)
        : call.rule.onReject === "recover"
          ? null
          : 0,
  };
}

type AskedCall = Pick<CallRow, "id" | "stepId" | "server" | "tool">;

/** How many other calls of the same tool were refused in the same step. */
export function countRefused(
  calls: Iterable<AskedCall & Pick<CallRow, "status">>,
  { id, stepId, server, tool }: AskedCall,
): number {
  const isRefused = (status: CallRow["status"]) => status === "rejected" || status === "expired";
  const isOther = (call: AskedCall) => call.id !== id && call.stepId === stepId;
  const isOfTool = (call: AskedCall) => call.server === server && call.tool === tool;
  return [...calls].filter((call) => isOther(call) && isOfTool(call) && isRefused(call.status)).length;
}

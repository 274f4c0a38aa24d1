/**
 * Whether a call's permission still holds, checked right before it is sent: the arguments are the ones that were
 * judged, and both the run's policy and today's would still let it pass, by itself or by what people have granted.
 */
import { digestArguments } from "@/lib/text/digest";
import type { AgentWithTools } from "@/lib/runs/advance/agent-tools";
import { coversRule, judgeCall, type JudgedCall } from "@/lib/runs/advance/judge-call";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { CallRow } from "@/lib/runs/snapshot";

export type Standing =
  | { kind: "lapsed"; why: "arguments_changed" | "stricter_rule" }
  /** `budgetUsd` is the limit that it was judged by; the commit before the call enforces the same one. */
  | { kind: "stands"; budgetUsd: number | null };

export function findLapse(context: RunContext, agent: AgentWithTools, call: CallRow): Standing {
  const args = parseArguments(call.argumentsCanonical);
  if (args === null || digestArguments(args) !== call.digest) return { kind: "lapsed", why: "arguments_changed" };
  const judged = judgeCall(context, agent, { server: call.server, tool: call.tool, arguments: args });
  const isGranted = judged.decision === "allow" || isCovered(judged, call);
  return isGranted ? { kind: "stands", budgetUsd: judged.budgetUsd } : { kind: "lapsed", why: "stricter_rule" };
}

function isCovered(judged: JudgedCall, { approval }: CallRow): boolean {
  return judged.decision === "ask" && approval?.status === "approved" && coversRule(approval.rule, judged.rule);
}

/** Null for a text that is not a JSON object, which only a defect could cause. */
export function parseArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

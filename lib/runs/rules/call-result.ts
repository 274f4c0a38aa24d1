/** The outcome of a call in the one form of results, even if it was not a tool that answered. */
import type { CallStatus } from "./call-state";
import { type ToolResult, toErrorResult } from "@/lib/tools/rules/tool-result";

interface Ended {
  status: CallStatus;
  /** As it was stored; a webhook's is its status and its body. */
  result: unknown;
  error: { message: string } | null;
}

/** Null for a call without a result: it has not been sent, it was refused, or its outcome is unknown. */
export function toCallResult({ status, result, error }: Ended): ToolResult | null {
  // Whatever came back does not say whether it happened.
  if (status === "outcome_unknown") return null;
  if (isToolResult(result)) return result;
  if (result === null || result === undefined)
    return status === "failed" ? toErrorResult(error?.message ?? "The call failed.") : null;
  const output = typeof result === "string" ? result : JSON.stringify(result);
  const failed = status === "failed";
  return {
    success: !failed,
    output,
    content: [{ type: "text", text: output }],
    structured_content: typeof result === "object" ? result : null,
    is_error: failed,
    error: failed ? (error?.message ?? output) : null,
  };
}

const isToolResult = (result: unknown): result is ToolResult =>
  typeof result === "object" && result !== null && "success" in result && "content" in result;

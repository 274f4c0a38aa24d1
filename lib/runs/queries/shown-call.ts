/** A call as the conversation of its step shows it, with people's decisions. */
import type { ChangedArgument } from "@/lib/approvals/queries/list-changes";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import { toMoney } from "@/lib/runs/queries/run-view";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import type { CallRow } from "@/lib/runs/snapshot";
import { shown } from "@/lib/text/shown";
import { showInvisible } from "@/lib/text/tool-text";
import type { ToolResult } from "@/lib/tools/rules/tool-result";

export interface ShownCall {
  id: string;
  server: string;
  tool: string;
  status: CallStatus;
  danger: string;
  summary: string;
  arguments: unknown;
  /** What a person changed in the agent's proposal. */
  changes: ChangedArgument[];
  result: { output: string; structured: unknown; isError: boolean } | null;
  error: { code: string; message: string } | null;
  digest: string;
  /** The layers that did more than let it pass, with file and line. */
  reasons: { layer: string; outcome: string; reason: string; source: string | null }[];
  approvalId: string | null;
  decidedBy: {
    name: string;
    verdict: "approved" | "rejected";
    at: Date;
    reason: string | null;
    comment: string | null;
    edited: boolean;
  }[];
  durationMs: number | null;
  /** How long its outcome was unknown; null when it was always known. */
  unsettledMs: number | null;
  costUsd: number;
}

export function toShownCall(call: CallRow, changes: ChangedArgument[], unknownAt: Date | undefined): ShownCall {
  const { id, server, tool, status, danger, digest, approval, executingAt, completedAt } = call;
  const sentAt = toDate(executingAt);
  const endedAt = toDate(completedAt);
  return {
    id,
    server,
    tool,
    status,
    danger,
    digest,
    changes,
    summary: showInvisible(call.summary),
    arguments: shown<unknown>(call.arguments),
    result: toResult(call.result as Partial<ToolResult> | null),
    error: shown(call.error),
    reasons: toReasons(call.trace),
    approvalId: approval?.id ?? null,
    decidedBy: (approval?.decisions ?? []).map(({ userName, verdict, reason, comment, argumentsCanonical, at }) => ({
      name: userName,
      verdict,
      at: new Date(at),
      reason: shown(reason),
      comment: shown(comment),
      edited: argumentsCanonical !== null,
    })),
    durationMs: msBetween(sentAt, unknownAt ?? endedAt),
    unsettledMs: unknownAt ? msBetween(unknownAt, endedAt) : null,
    costUsd: toMoney(call.costUsd),
  };
}

function toResult(result: Partial<ToolResult> | null): ShownCall["result"] {
  if (!result) return null;
  return {
    output: showInvisible(result.output ?? ""),
    structured: shown(result.structured_content ?? null),
    isError: result.is_error === true,
  };
}

function toReasons(trace: unknown): ShownCall["reasons"] {
  return ((Array.isArray(trace) ? trace : []) as TraceEntry[])
    .filter(({ outcome }) => outcome !== "pass")
    .map(({ layer, outcome, reason, source }) => ({
      layer,
      outcome,
      reason: showInvisible(reason),
      source: source ? `${source.file}:${source.line}` : null,
    }));
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

const msBetween = (from: Date | null, to: Date | null): number | null =>
  from && to ? to.getTime() - from.getTime() : null;

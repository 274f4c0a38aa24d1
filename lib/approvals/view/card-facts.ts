/** What a card shows of a question and its call; hidden characters in untrusted text are made visible. Pure. */
import { extendableUntil } from "@/lib/approvals/rules/extension-limit";
import { formatSourceLocation } from "@/lib/config/source-location";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { DangerLevel } from "@/lib/policy/danger";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import type { ApprovalRow, CallRow, DecisionRow } from "@/lib/runs/snapshot";
import { showInvisible } from "@/lib/text/tool-text";
import type { ToolResult } from "@/lib/tools/rules/tool-result";

export const isEdited = ({ argumentsCanonical }: DecisionRow): boolean => argumentsCanonical !== null;

export function cardFacts(row: ApprovalRow, call: CallRow, runId: string) {
  const { id, callId, status, version, server, tool, workflow, agent, rule } = row;
  const { approvals, minApprovals, approvers, editable, createdAt, expiresAt, decidedAt, escalatedAt } = row;
  return {
    id,
    callId,
    runId,
    status,
    version,
    server,
    tool,
    workflow,
    agent,
    approvals,
    minApprovals,
    approvers,
    editable,
    createdAt,
    expiresAt,
    decidedAt,
    onReject: row.onReject as ApprovalRule["onReject"],
    timeoutBehavior: row.timeoutBehavior as ApprovalRule["timeoutBehavior"],
    danger: row.danger as DangerLevel,
    summary: showInvisible(row.summary || call.summary || tool),
    extendableUntil: extendableUntil({ createdAt: new Date(createdAt), timeoutMs: rule.timeoutMs }).toISOString(),
    escalated: escalatedAt ? { at: escalatedAt, to: row.escalateTo } : null,
    ruleReason: rule.reason,
    rejectReasons: rule.rejectReasons,
    why: (call.trace as TraceEntry[]).map((entry) => ({
      layer: entry.layer,
      outcome: entry.outcome,
      reason: showInvisible(entry.reason),
      source: entry.source ? formatSourceLocation(entry.source) : null,
    })),
    agentSays: call.agentSays === null ? null : showInvisible(call.agentSays),
    decisions: row.decisions.map((decision) => ({
      id: decision.id,
      by: decision.userName,
      token: decision.token?.name ?? null,
      verdict: decision.verdict,
      reason: decision.reason,
      comment: decision.comment,
      edited: isEdited(decision),
      at: decision.at,
    })),
    call: { status: call.status, executingAt: call.executingAt, completedAt: call.completedAt, ...outcome(call) },
  };
}

function outcome(call: CallRow): { output: string | null; isError: boolean; problem: string | null } {
  const result = call.result as Partial<ToolResult> | null;
  const problem = call.error?.message ?? (result?.is_error ? result.error : null) ?? null;
  return {
    output: typeof result?.output === "string" ? showInvisible(result.output) : null,
    isError: result?.is_error === true,
    problem: problem === null ? null : showInvisible(problem),
  };
}

/** The redacted arguments as JSON that can be copied safely: invisible characters are written as escapes. */
export function escapeInvisible(args: unknown): string {
  return JSON.stringify(args, null, 2).replace(/[^\n\x20-\x7E]/gu, (character) =>
    showInvisible(character) === character
      ? character
      : Array.from(
          { length: character.length },
          (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, "0")}`,
        ).join(""),
  );
}

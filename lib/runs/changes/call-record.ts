/**
 * What the sealed trail stores of a call and of its approval. Rows are compared with this before anything is decided or
 * sent, so it contains everything by which a call is judged, shown and sent, as a digest where it is long or may be
 * private.
 */
import type { EventData } from "@/lib/audit/rules/audit-event";
import { findDecisive, type TraceEntry } from "@/lib/policy/policy-answer";
import { formatSourceLocation } from "@/lib/config/source-location";

interface RecordedCall {
  id: string;
  stepId: string;
  server: string;
  tool: string;
  digest: string;
  danger: string;
  definitionFingerprint: string | null;
  policyHash: string;
  retrySafe: boolean;
  trace: unknown;
  error: unknown;
}

/** A call that was allowed without a person has its own event type: nobody approved it. */
export const judgedType = (status: string): string => (status === "approved" ? "call.allowed" : `call.${status}`);

export function callRecord(call: RecordedCall): EventData {
  const code = (call.error as { code?: string } | null)?.code;
  return {
    call_id: call.id,
    step_id: call.stepId,
    server: call.server,
    tool: call.tool,
    digest: call.digest,
    danger: call.danger,
    definition: call.definitionFingerprint,
    policy: call.policyHash,
    retry_safe: call.retrySafe,
    ...(code === undefined ? {} : { code }),
    ...decidedBy(call.trace),
  };
}

interface RecordedQuestion {
  id: string;
  callId: string;
  stepId: string;
  server: string;
  tool: string;
  digest: string;
  questionDigest: string;
  approvers: string[];
  minApprovals: number;
  selfApproval: boolean;
}

export function questionRecord(question: RecordedQuestion, trace: unknown): EventData {
  return {
    approval_id: question.id,
    call_id: question.callId,
    step_id: question.stepId,
    server: question.server,
    tool: question.tool,
    digest: question.questionDigest,
    arguments_digest: question.digest,
    approvers: question.approvers,
    min_approvals: question.minApprovals,
    self_approval: question.selfApproval,
    ...decidedBy(trace),
  };
}

/** The layer that decided, with file and line if it comes from a file. */
function decidedBy(trace: unknown): EventData {
  const entry = findDecisive((trace ?? []) as TraceEntry[]);
  if (!entry) return {};
  return { layer: entry.layer, source: entry.source ? formatSourceLocation(entry.source) : null };
}

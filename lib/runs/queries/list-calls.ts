import type { CallStatus } from "@/lib/runs/rules/call-state";
import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import { CALL_RESULT_LISTED_BYTES_MAX, PAGE_SIZE } from "@/lib/limits";
import type { Db } from "@/lib/database/client";
import { type Page, toPage } from "@/lib/database/page";
import { getRunOfCall, noCall } from "@/lib/runs/queries/find-run-of-call";
import { readRun } from "@/lib/runs/queries/read-run";
import { toMoney } from "@/lib/runs/queries/run-view";
import { approvalsInOrder, callsInOrder, stepKeyOf } from "@/lib/runs/rules/run-places";
import type { ApprovalRow, CallRow, RunSnapshot } from "@/lib/runs/snapshot";

/** Without the canonical text of the proposal, which may contain values that only a name marks as secret. */
export interface CallView {
  id: string;
  runId: string;
  parentCallId: string | null;
  /** As the workflow's file names it. */
  stepKey: string;
  agent: string;
  server: string;
  tool: string;
  status: CallStatus;
  danger: string;
  summary: string;
  arguments: unknown;
  digest: string;
  trace: TraceEntry[];
  approvals: CallApproval[];
  error: { code: string; message: string } | null;
  costUsd: number;
  result: unknown;
  /** It is too long for a list. */
  isResultLeftOut: boolean;
  createdAt: Date;
  executingAt: Date | null;
  completedAt: Date | null;
}

interface CallApproval {
  id: string;
  status: ApprovalStatus;
  minApprovals: number;
  decisions: {
    verdict: "approved" | "rejected";
    reason: string | null;
    comment: string | null;
    user: { id: string; name: string };
    token: { id: string; name: string } | null;
    createdAt: Date;
  }[];
  createdAt: Date;
  decidedAt: Date | null;
}

/** The calls of a run, in the order in which agents made them. */
export async function listCalls(
  db: Db,
  query: { runId: string; cursor?: string | undefined; limit?: number },
): Promise<Page<CallView>> {
  const limit = query.limit ?? PAGE_SIZE;
  const read = await readRun(db, query.runId);
  if (!read) return { items: [], nextCursor: null };
  const { snapshot } = read;
  const calls = callsInOrder(snapshot).filter(({ id }) => query.cursor === undefined || id > query.cursor);
  return toPage(calls.slice(0, limit + 1), limit, {
    cursorOf: ({ id }) => id,
    map: (call) => toView(snapshot, call, CALL_RESULT_LISTED_BYTES_MAX),
  });
}

export async function getCall(db: Db, callId: string): Promise<CallView> {
  const read = await readRun(db, await getRunOfCall(db, callId));
  const call = read?.snapshot.calls.get(callId);
  if (!read || !call) throw noCall(callId);
  return toView(read.snapshot, call, null);
}

function toView(snapshot: RunSnapshot, call: CallRow, bytesMax: number | null): CallView {
  const { id, parentCallId, agent, server, tool, status, danger, summary, digest, error, result } = call;
  const isResultLeftOut = bytesMax !== null && Buffer.byteLength(JSON.stringify(result ?? null)) > bytesMax;
  return {
    id,
    runId: snapshot.run.id,
    parentCallId,
    stepKey: stepKeyOf(snapshot, call),
    agent,
    server,
    tool,
    status,
    danger,
    summary,
    arguments: call.arguments,
    digest,
    trace: call.trace as TraceEntry[],
    approvals: approvalsInOrder(snapshot)
      .filter(({ callId }) => callId === id)
      .map(toApproval),
    error,
    costUsd: toMoney(call.costUsd),
    result: isResultLeftOut ? null : (result ?? null),
    isResultLeftOut,
    createdAt: new Date(call.createdAt),
    executingAt: toDate(call.executingAt),
    completedAt: toDate(call.completedAt),
  };
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

function toApproval({ id, status, minApprovals, decisions, createdAt, decidedAt }: ApprovalRow): CallApproval {
  return {
    id,
    status,
    minApprovals,
    createdAt: new Date(createdAt),
    decidedAt: toDate(decidedAt),
    decisions: decisions.map(({ verdict, reason, comment, userId, userName, token, at }) => ({
      verdict,
      reason,
      comment,
      user: {
        id: userId,
        name: userName,
      },
      token,
      createdAt: new Date(at),
    })),
  };
}

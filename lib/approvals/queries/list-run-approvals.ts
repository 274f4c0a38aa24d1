import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { type ChangedArgument, listChanges } from "@/lib/approvals/queries/list-changes";
import { type Page, toPage } from "@/lib/database/page";
import { shown } from "@/lib/text/shown";
import { readRun } from "@/lib/runs/queries/read-run";
import { isEdited } from "@/lib/approvals/view/card-facts";
import { callOf } from "@/lib/runs/changes/move";
import { responseOfTurn, stepKeyOf } from "@/lib/runs/rules/run-places";
import type { ApprovalRow, RunSnapshot } from "@/lib/runs/snapshot";

export interface RunApproval {
  id: string;
  stepId: string;
  stepKey: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  status: ApprovalStatus;
  approvers: string[];
  minApprovals: number;
  approvals: number;
  requestedAt: Date;
  decidedAt: Date | null;
  expiresAt: Date | null;
  /** What a person changed in the agent's proposal. */
  changes: ChangedArgument[];
  decisions: {
    name: string;
    viaToken: string | null;
    verdict: "approved" | "rejected";
    reason: string | null;
    comment: string | null;
    edited: boolean;
    at: Date;
  }[];
}

const PAGE = 50;

/** The approvals that a run asked for, oldest first, with who decided what and when. */
export async function listRunApprovals(
  db: Db,
  { runId, cursor, fingerprint }: { runId: string; cursor?: string; fingerprint: (value: string) => string },
): Promise<Page<RunApproval>> {
  const snapshot = (await readRun(db, runId))?.snapshot;
  if (!snapshot) return { items: [], nextCursor: null };
  const rows = [...snapshot.approvals.values()]
    .filter(({ id }) => cursor === undefined || id > cursor)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, PAGE + 1);
  const edited = rows
    .filter(({ decisions }) => decisions.some(isEdited))
    .map(({ callId }) => callOf(snapshot, callId))
    .map((call) => ({ ...call, response: responseOfTurn(snapshot, call) }));
  const changes = await listChanges(db, edited, fingerprint);
  return toPage(rows, PAGE, {
    cursorOf: (row) => row.id,
    map: (row) => toRunApproval(snapshot, row, changes.get(row.callId) ?? []),
  });
}

function toRunApproval(snapshot: RunSnapshot, row: ApprovalRow, changes: ChangedArgument[]): RunApproval {
  const { id, stepId, server, tool, danger, summary, status, approvers, minApprovals, approvals } = row;
  return {
    id,
    stepId,
    server,
    tool,
    danger,
    status,
    approvers,
    minApprovals,
    approvals,
    changes,
    summary: showInvisible(summary),
    stepKey: stepKeyOf(snapshot, callOf(snapshot, row.callId)),
    requestedAt: new Date(row.createdAt),
    decidedAt: toDate(row.decidedAt),
    expiresAt: toDate(row.expiresAt),
    decisions: row.decisions.map((decision) => ({
      name: decision.userName,
      viaToken: decision.token?.name ?? null,
      verdict: decision.verdict,
      reason: shown(decision.reason),
      comment: shown(decision.comment),
      edited: isEdited(decision),
      at: new Date(decision.at),
    })),
  };
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

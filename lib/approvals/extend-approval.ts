/**
 * Gives people more time to decide, up to a limit. Only people who may decide can extend: others could keep a call open
 * that they have no say in.
 */
import { refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { extendableUntil } from "@/lib/approvals/rules/extension-limit";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import type { EngineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import { getRunIdOfApproval, toApprovalView } from "@/lib/approvals/queries/get-approval";
import { approvalOf } from "@/lib/runs/changes/move";
import { changeRun } from "@/lib/runs/journal/change-run";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import type { RunSnapshot } from "@/lib/runs/snapshot";

interface Extension {
  approvalId: string;
  byMs: number;
}

export async function extendApproval(
  deps: EngineDeps,
  by: DecidedBy,
  command: Extension,
): Promise<{ expiresAt: Date }> {
  const runId = await getRunIdOfApproval(deps.db, command.approvalId);
  const at = deps.now();
  const outcome = await refuseChangedRecord(
    () => changeRun(deps.db, runId, { build: ({ snapshot }) => buildExtension(snapshot, command, { by, at }), at }),
    " Nothing was changed.",
  );
  if (outcome.kind !== "done") throw isOver(command.approvalId);
  return { expiresAt: outcome.done };
}

function buildExtension(snapshot: RunSnapshot, command: Extension, { by, at }: { by: DecidedBy; at: Date }) {
  const approval = toApprovalView(snapshot, approvalOf(snapshot, command.approvalId));
  const refusal = refusalToDecide(by, approval);
  if (refusal)
    throw new KimitsuError("forbidden", `Only who could decide can give more time. ${refusal} Nothing was changed.`);
  const { id: approvalId, callId, status, createdAt, rule } = approval;
  if (!approval.expiresAt)
    throw new KimitsuError("conflict", `Approval ${approvalId} does not expire; nothing was changed.`);
  const expiresAt = new Date(approval.expiresAt.getTime() + command.byMs);
  const latest = extendableUntil({ createdAt, timeoutMs: rule.timeoutMs });
  if (expiresAt > latest) {
    const minutes = Math.max(0, Math.floor((latest.getTime() - approval.expiresAt.getTime()) / 60_000));
    const more = minutes === 0 ? "no more time" : `${minutes} minutes more`;
    throw new KimitsuError(
      "conflict",
      `Approval ${approvalId} can be extended until ${latest.toISOString()} at most: ${more} can be given. Nothing was changed.`,
    );
  }
  if (status !== "pending" || approval.expiresAt <= at || expiresAt <= approval.expiresAt) throw isOver(approvalId);
  const change = {
    kind: "approval_extended",
    at: at.toISOString(),
    approvalId,
    callId,
    expiresAt: expiresAt.toISOString(),
    actor: by.actor,
  } as const;
  return { changes: [change], queue: { kind: "stay" } as const, done: expiresAt };
}

const isOver = (id: string) =>
  new KimitsuError("conflict", `Approval ${id} is decided or has expired; nothing was changed.`);

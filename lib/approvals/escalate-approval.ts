/** Adds more approvers once the rule's escalation time has come; once only. False when there was nothing to do. */
import type { DueApproval } from "@/lib/approvals/queries/list-due-approvals";
import type { Db } from "@/lib/database/client";
import { approvalOf } from "@/lib/runs/changes/move";
import { changeRun, pausesAround } from "@/lib/runs/journal/change-run";
import type { RunSnapshot } from "@/lib/runs/snapshot";

type Due = Pick<DueApproval, "id" | "runId">;

export async function escalateApproval(db: Db, { id, runId }: Due, at: Date): Promise<boolean> {
  const build = ({ snapshot }: { snapshot: RunSnapshot }) => {
    const { status, callId, escalateAt, escalatedAt, escalateTo } = approvalOf(snapshot, id);
    const isDue = escalateAt !== null && escalateAt <= at.toISOString();
    if (status !== "pending" || escalatedAt !== null || !isDue) return null;
    const change = {
      kind: "approval_escalated",
      at: at.toISOString(),
      approvalId: id,
      callId,
      to: escalateTo,
    } as const;
    return { changes: [change], queue: { kind: "stay" } as const, done: null };
  };
  const outcome = await changeRun(db, runId, {
    build,
    at,
    despiteRow: true,
    pauses: pausesAround("escalate-approval", id),
  });
  return outcome.kind === "done";
}

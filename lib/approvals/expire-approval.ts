/** Ends a question that nobody decided in time, and its call, and wakes its run. False when someone decided first. */
import type { DueApproval } from "@/lib/approvals/queries/list-due-approvals";
import type { Db } from "@/lib/database/client";
import { approvalOf } from "@/lib/runs/changes/move";
import { changeRun, pausesAround } from "@/lib/runs/journal/change-run";
import type { RunSnapshot } from "@/lib/runs/snapshot";

type Due = Pick<DueApproval, "id" | "runId">;

export async function expireApproval(db: Db, { id, runId }: Due, at: Date): Promise<boolean> {
  const build = ({ snapshot }: { snapshot: RunSnapshot }) => {
    const { status, callId, expiresAt } = approvalOf(snapshot, id);
    if (status !== "pending" || expiresAt === null || expiresAt > at.toISOString()) return null;
    const change = { kind: "approval_expired", at: at.toISOString(), approvalId: id, callId } as const;
    return { changes: [change], queue: { kind: "wake" } as const, done: null };
  };
  const outcome = await changeRun(db, runId, {
    build,
    at,
    despiteRow: true,
    pauses: pausesAround("expire-approval", id),
  });
  return outcome.kind === "done";
}

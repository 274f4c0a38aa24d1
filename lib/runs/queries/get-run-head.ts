import { missingRun } from "@/lib/audit/queries/missing-run";
import type { Db } from "@/lib/database/client";
import type { RunStatus } from "@/lib/runs/rules/run-state";

/** Whether a run exists, and is over. */
export async function getRunHead(db: Db, runId: string): Promise<{ status: RunStatus; completedAt: Date | null }> {
  const row = await db.run.findUnique({ where: { id: runId }, select: { status: true, completedAt: true } });
  if (!row) throw await missingRun(db, runId);
  return row;
}

import type { RunStatus } from "@/lib/domain/run-state";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";

export interface RunHead {
  id: string;
  workflow: string;
  status: RunStatus;
  configHash: string;
  startedByUserId: string | null;
  costUsd: number;
  costBudgetUsd: number | null;
  completedAt: Date | null;
}

export async function getRunHead(db: Db, runId: string): Promise<RunHead> {
  const row = await db.run.findUnique({
    where: { id: runId },
    select: { id: true, workflow: true, status: true, configHash: true, startedByUserId: true, costUsd: true, costBudgetUsd: true, completedAt: true },
  });
  if (!row) throw new KimitsuError("not_found", `There is no run ${runId}.`);
  return { ...row, costUsd: Number(row.costUsd), costBudgetUsd: row.costBudgetUsd === null ? null : Number(row.costBudgetUsd) };
}

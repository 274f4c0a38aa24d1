import type { RunStatus } from "@/lib/domain/run-state";
import type { StepStatus } from "@/lib/domain/step-state";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";

export interface StepToRetry {
  id: string;
  parentId: string | null;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  itemIndex: number | null;
  agent: string | null;
}

export interface RunToRetry {
  id: string;
  workflow: string;
  version: string;
  configHash: string;
  status: RunStatus;
  params: Record<string, unknown>;
  agents: string[];
  costBudgetUsd: number | null;
  /** Raised by every retry, so that two at once do not both happen. */
  wakes: number;
  /** In the order in which they were made: parents before children. */
  steps: StepToRetry[];
  /** Calls of which nobody knows whether they happened, and that may not happen twice. */
  unknownCalls: { id: string; stepId: string; server: string; tool: string }[];
  /** A retry that has not failed. */
  liveRetry: { id: string; status: RunStatus } | null;
}

export async function getRunToRetry(db: Db, runId: string): Promise<RunToRetry> {
  const row = await db.run.findUnique({
    where: { id: runId },
    select: {
      id: true, workflow: true, version: true, configHash: true, status: true, params: true, search: { select: { agents: true } }, costBudgetUsd: true, wakes: true,
      steps: { orderBy: { id: "asc" }, select: { id: true, parentId: true, key: true, type: true, status: true, itemIndex: true, agent: true } },
      calls: { where: { status: "outcome_unknown", retrySafe: false }, orderBy: { id: "asc" }, select: { id: true, stepId: true, server: true, tool: true } },
      retries: { where: { status: { notIn: ["failed", "cancelled"] } }, orderBy: { id: "desc" }, take: 1, select: { id: true, status: true } },
    },
  });
  if (!row) throw new KimitsuError("not_found", `There is no run ${runId}.`);
  const { retries, calls, params, search, costBudgetUsd, ...rest } = row;
  return { ...rest, unknownCalls: calls, agents: search?.agents ?? [], params: params as Record<string, unknown>, costBudgetUsd: costBudgetUsd === null ? null : Number(costBudgetUsd), liveRetry: retries[0] ?? null };
}

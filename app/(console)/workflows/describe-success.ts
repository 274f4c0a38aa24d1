import type { WorkflowStats } from "@/lib/runs/queries/list-workflow-stats";

/** "47 of 50", because a percentage of three runs says less than it seems to. */
export function describeSuccess(stats: Pick<WorkflowStats, "ended" | "complete" | "waiting"> | undefined): string {
  if (!stats) return "";
  const waiting = stats.waiting > 0 ? `, ${stats.waiting} waiting` : "";
  return stats.ended > 0 ? `${stats.complete} of ${stats.ended}${waiting}` : waiting.slice(2);
}

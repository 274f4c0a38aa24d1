/** A run's money: the warning is on the trail once, with the change that takes the run over the threshold. */
import { BUDGET_WARNING_SHARE } from "@/lib/limits";
import type { RunRow } from "@/lib/runs/snapshot";

/** Whether spending this takes the run over the threshold. */
export function budgetWarning(
  { costUsd, costBudgetUsd }: Pick<RunRow, "costUsd" | "costBudgetUsd">,
  usd: number,
): boolean {
  if (usd === 0 || costBudgetUsd === null) return false;
  const line = addUsd(costBudgetUsd * BUDGET_WARNING_SHARE, 0);
  return costUsd < line && addUsd(costUsd, usd) >= line;
}

/** Money is stored to a millionth, as in the database: errors of floating-point sums are smaller. */
export const addUsd = (left: number, right: number): number => Math.round((left + right) * 1e6) / 1e6;

export const spend = {
  warning: { type: "run.budget_warning", data: { share_percent: BUDGET_WARNING_SHARE * 100 } },
} as const;

import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { BUDGET_WARNING_SHARE } from "@/lib/domain/limits";
import { insertEvent } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";

/**
 * Two CTEs for a statement that spends a run's money: the warning is written with the very spending that takes the run over the line, so it
 * stands on the trail once. `spent` is a CTE with `spent_usd`, the spending included, and `budget_usd`. Empty when nothing is spent.
 */
export function budgetWarning(runId: string, spent: string, usd: number, at: Date): Prisma.Sql {
  if (usd === 0) return Prisma.empty;
  const share = BUDGET_WARNING_SHARE;
  const event = insertEvent({ chainId: runId, type: "run.budget_warning", at, actor: SYSTEM_ACTOR, data: { share_percent: share * 100 } }, "crossed");
  return Prisma.sql`crossed AS (
      SELECT 1 FROM ${Prisma.raw(spent)} WHERE spent_usd >= budget_usd * ${share}::numeric AND spent_usd - ${usd}::numeric < budget_usd * ${share}::numeric
    ), warned AS (${event}),`;
}

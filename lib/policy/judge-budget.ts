/**
 * The budget layer: what was spent plus what the call may cost. The limits that permissions state are for what tools
 * cost, the run's own is for all that it costs; the one that leaves least applies.
 */
import type { SourceLocation } from "@/lib/config/source-location";
import { type LayerAnswer, lowestBudget } from "./policy-answer";
import type { PolicyContext } from "./policy-input";

interface Limit {
  value: number;
  source?: SourceLocation | undefined;
}

/** Sums are compared in millionths of a dollar, so that ten times $0.10 fits into $1.00. Equal fits. */
export function judgeBudget(budget: PolicyContext["budget"], stated: readonly (Limit | undefined)[]): LayerAnswer {
  const { estimatedUsd } = budget;
  const forTools = stated
    .filter((limit) => limit !== undefined)
    .map((limit) => ({ ...limit, usedUsd: budget.toolsUsedUsd }));
  const limits =
    budget.limitUsd === null
      ? forTools
      : [...forTools, { value: budget.limitUsd, usedUsd: budget.usedUsd, source: undefined }];
  const unknown = limits.find(({ value, usedUsd }) =>
    [value, usedUsd, estimatedUsd].some((figure) => !Number.isFinite(figure) || figure < 0),
  );
  if (unknown) return refuse("Budget exceeded: what was spent or what the tool needs is not known", unknown);
  const [tightest] = limits.toSorted((left, right) => left.value - left.usedUsd - (right.value - right.usedUsd));
  if (!tightest) return { outcome: "pass", reason: "no budget is set" };
  const { value, usedUsd, source } = tightest;
  if (toMicros(usedUsd) + toMicros(estimatedUsd) <= toMicros(value)) {
    return {
      outcome: "pass",
      reason: `${formatUsd(Math.max(0, value - usedUsd))} of ${formatUsd(value)} remain`,
      source,
      budgetUsd: lowestBudget(forTools.map((limit) => limit.value)) ?? undefined,
    };
  }
  return refuse(explainOverspend({ usedUsd, estimatedUsd, limitUsd: value }), tightest);
}

/** The three figures, as the model and the console show them. */
export function explainOverspend({
  usedUsd,
  estimatedUsd,
  limitUsd,
}: {
  usedUsd: number;
  estimatedUsd: number;
  limitUsd: number;
}): string {
  return `Budget exceeded: ${formatUsd(usedUsd)} spent, ${formatUsd(Math.max(0, limitUsd - usedUsd))} remaining, tool needs ${formatUsd(estimatedUsd)}`;
}

function refuse(reason: string, limit: Limit): LayerAnswer {
  return { outcome: "deny", code: "budget_exceeded", reason, source: limit.source };
}

function toMicros(usd: number): number {
  return Math.round(usd * 1_000_000);
}

/** Cents, and more digits only where cents would hide something: $9.50, but $0.0021. */
function formatUsd(usd: number): string {
  const micros = toMicros(usd);
  return `$${micros % 10_000 === 0 ? (micros / 1_000_000).toFixed(2) : (micros / 1_000_000).toFixed(6).replace(/0+$/, "")}`;
}

/** The budget layer: what was spent plus what the call may cost against the lowest limit that anybody states. */
import type { SourceLocation } from "@/lib/config/source-location";
import type { LayerAnswer } from "./policy-answer";
import type { PolicyContext } from "./policy-input";

interface Limit {
  value: number;
  source?: SourceLocation | undefined;
}

/** Sums are compared in millionths of a dollar, so that ten times $0.10 fits into $1.00. Equal fits. */
export function judgeBudget(budget: PolicyContext["budget"], stated: readonly (Limit | undefined)[]): LayerAnswer {
  const limits = [...stated, budget.limitUsd === null ? undefined : { value: budget.limitUsd }].filter((limit) => limit !== undefined);
  const [lowest] = limits.toSorted((left, right) => left.value - right.value);
  if (!lowest) return { outcome: "pass", reason: "no budget is set" };
  const { usedUsd, estimatedUsd } = budget;
  const isKnown = [lowest.value, usedUsd, estimatedUsd].every((figure) => Number.isFinite(figure) && figure >= 0);
  if (!isKnown) return refuse("Budget exceeded: what was spent or what the tool needs is not known", lowest);
  const remaining = Math.max(0, lowest.value - usedUsd);
  if (toMicros(usedUsd) + toMicros(estimatedUsd) <= toMicros(lowest.value)) {
    return { outcome: "pass", reason: `${formatUsd(remaining)} of ${formatUsd(lowest.value)} remain`, source: lowest.source };
  }
  return refuse(`Budget exceeded: ${formatUsd(usedUsd)} spent, ${formatUsd(remaining)} remaining, tool needs ${formatUsd(estimatedUsd)}`, lowest);
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

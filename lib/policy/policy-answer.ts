/** The types of the policy's answers. */
import type { SourceLocation } from "@/lib/config/source-location";
import type { Danger } from "@/lib/policy/danger";
import type { ApprovalRule } from "./approval-rule";

/** The ten layers in their order, then the checks on the tool itself, which apply whatever the layers say. */
export const POLICY_LAYERS = [
  "allowlist",
  "bypass",
  "budget",
  "plan",
  "deny",
  "require_approval",
  "allow",
  "rules",
  "danger",
  "strict",
  "tool_list",
  "pin",
  "toolset",
  "internal",
] as const;
export type PolicyLayer = (typeof POLICY_LAYERS)[number];

export type DenyCode =
  | "tool_not_permitted"
  | "budget_exceeded"
  | "plan_mode"
  | "denied_by_policy"
  | "tool_unknown"
  | "tool_not_pinned"
  | "policy_failed";

export interface TraceEntry {
  layer: PolicyLayer;
  outcome: "pass" | "allow" | "deny" | "ask";
  reason: string;
  /** The place in the YAML that decided. */
  source?: SourceLocation | undefined;
  /** Whose file the layer belongs to; several agents appear when a sub-agent calls. */
  agent?: string | undefined;
}

/** What one layer says. */
export type LayerAnswer =
  | { outcome: "pass"; reason: string; source?: SourceLocation | undefined; budgetUsd?: number | undefined }
  | { outcome: "allow"; reason: string; source?: SourceLocation | undefined; budgetUsd?: number | undefined }
  | { outcome: "deny"; reason: string; code: DenyCode; source?: SourceLocation | undefined }
  | { outcome: "ask"; reason: string; rule: ApprovalRule; source?: SourceLocation | undefined };

export interface Judgement {
  danger: Danger;
  trace: TraceEntry[];
  /**
   * The lowest limit on tool costs that was applied to the call; null: none. The sender applies the same limit again,
   * with what is spent by then.
   */
  budgetUsd: number | null;
}

export type PolicyDecision = Judgement &
  (
    | { decision: "allow" }
    | { decision: "deny"; reason: string; code: DenyCode }
    | { decision: "ask"; reason: string; rule: ApprovalRule }
  );

/** Null only when nobody states a limit. */
export function lowestBudget(limits: readonly (number | null | undefined)[]): number | null {
  const stated = limits.filter((limit) => typeof limit === "number");
  return stated.length > 0 ? Math.min(...stated) : null;
}

const STRICTNESS = { pass: 0, allow: 1, ask: 2, deny: 3 } as const;

/** The first of the strictest; null when nothing answers. */
export function strictestAnswer<T extends { outcome: keyof typeof STRICTNESS }>(answers: readonly T[]): T | null {
  return answers.reduce<T | null>(
    (best, answer) =>
      answer.outcome !== "pass" && STRICTNESS[answer.outcome] > (best ? STRICTNESS[best.outcome] : 0) ? answer : best,
    null,
  );
}

/**
 * The entry that decided: the first of the strictest. An entry of Kimitsu's own comes before the layers, and counts
 * only where no layer answers.
 */
export function findDecisive(trace: readonly TraceEntry[]): TraceEntry | null {
  return strictestAnswer(trace.filter(({ layer }) => layer !== "internal")) ?? strictestAnswer(trace);
}

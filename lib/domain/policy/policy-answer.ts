/** The words in which the policy answers. */
import type { SourceLocation } from "@/lib/config/source-location";
import type { Danger } from "@/lib/domain/danger";
import type { ApprovalRule } from "./approval-rule";

/** The ten layers in their order, then the two checks on the tool itself, which hold whatever the layers say. */
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
  | { outcome: "pass"; reason: string; source?: SourceLocation | undefined }
  | { outcome: "allow"; reason: string; source?: SourceLocation | undefined }
  | { outcome: "deny"; reason: string; code: DenyCode; source?: SourceLocation | undefined }
  | { outcome: "ask"; reason: string; rule: ApprovalRule; source?: SourceLocation | undefined };

export type PolicyDecision = { danger: Danger; trace: TraceEntry[] } & (
  | { decision: "allow" }
  | { decision: "deny"; reason: string; code: DenyCode }
  | { decision: "ask"; reason: string; rule: ApprovalRule }
);

const STRICTNESS = { pass: 0, allow: 1, ask: 2, deny: 3 } as const;

/** The first of the strictest; null when nothing answers. */
export function strictestAnswer<T extends { outcome: keyof typeof STRICTNESS }>(answers: readonly T[]): T | null {
  return answers.reduce<T | null>(
    (best, answer) =>
      answer.outcome !== "pass" && STRICTNESS[answer.outcome] > (best ? STRICTNESS[best.outcome] : 0) ? answer : best,
    null,
  );
}

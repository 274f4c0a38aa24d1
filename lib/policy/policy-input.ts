/** What the policy judges and by what: plain data, with the place in the YAML that each part was written at. */
import type {
  AllowlistEntry,
  DangerLevel,
  PermissionRule,
  Permissions,
  RequireApproval,
} from "@/lib/config/permission-schema";
import type { SourceLocation } from "@/lib/config/source-location";
import type { StatedFacts } from "@/lib/policy/danger";
import type { ToolName } from "./tool-pattern";

export interface PolicyCall extends ToolName {
  /** As the model gave them; `when` expressions read them. */
  arguments: unknown;
}

export interface Grant {
  pattern: string;
  requireApproval: RequireApproval | null;
  source?: SourceLocation | undefined;
}

export interface PlacedPattern {
  pattern: string;
  source?: SourceLocation | undefined;
}

export interface PlacedRule extends PermissionRule {
  source?: SourceLocation | undefined;
}

/** A `permissions` block. A field that the file leaves out is absent here: absence is not the same as a default. */
export interface PermissionSet {
  mode?: { value: NonNullable<Permissions["mode"]>; source?: SourceLocation | undefined } | undefined;
  allow?: PlacedPattern[] | undefined;
  deny?: PlacedPattern[] | undefined;
  rules?: PlacedRule[] | undefined;
  askFrom?: { value: DangerLevel; source?: SourceLocation | undefined } | undefined;
  budgetUsd?: { value: number; source?: SourceLocation | undefined } | undefined;
}

/** One entry of an agent's `servers`. */
export interface ServerGrants {
  /** The agent's name for the server. */
  name: string;
  /** The server's own name. */
  definition: string;
  grants: readonly Grant[];
}

/** What one agent may do. */
export interface AgentScope {
  agent: string;
  servers: readonly ServerGrants[];
  permissions: PermissionSet;
  /**
   * For a sub-agent that its parent gave a subset of tools: patterns over the servers' own names. Null: none was
   * stated.
   */
  only: readonly PlacedPattern[] | null;
}

/**
 * `pinned`: as locked. `trusted_first_use`: there is no lock file. `new`, `changed`, `renamed`: not as locked or as
 * first seen.
 */
export type PinState = "pinned" | "trusted_first_use" | "new" | "changed" | "renamed";

export interface ToolView {
  /** `unlisted`: the server's list does not have the tool. `unreachable`: the list could not be fetched. */
  listing: "listed" | "unlisted" | "unreachable";
  /** The annotations as the server sent them. */
  annotations: unknown;
  /** The `tools:` entry of the server file. */
  facts: StatedFacts;
  pin: PinState;
  /** True when the definition holds characters that cannot be seen. Absent where the pin is not checked either. */
  hidesText?: boolean;
}

export interface PolicyContext {
  /** The calling agent is last; before it, outermost first, the agents whose sub-agent it is. All must agree. */
  scopes: readonly AgentScope[];
  /** The `permissions` of policy.yaml; empty when it has none. */
  project: PermissionSet;
  tool: ToolView;
  hasLock: boolean;
  /**
   * `limitUsd` is the run's own limit on all that it costs, if it has one; permissions may limit what its tools cost.
   */
  budget: { usedUsd: number; toolsUsedUsd: number; estimatedUsd: number; limitUsd: number | null };
  deployment: { allowBypass: boolean };
}

export type Locate = (path: (string | number)[]) => SourceLocation | undefined;

/** `locate` takes a path inside the allowlist, such as [2] or [2, "require_approval"]. */
export function toGrants(allowlist: readonly AllowlistEntry[], locate: Locate = () => undefined): Grant[] {
  return allowlist.map((entry, index) =>
    typeof entry === "string"
      ? { pattern: entry, requireApproval: null, source: locate([index]) }
      : {
          pattern: entry.name,
          requireApproval: entry.require_approval ?? null,
          source: locate(entry.require_approval ? [index, "require_approval"] : [index]),
        },
  );
}

/** `locate` takes a path inside the `permissions` block. */
export function toPermissionSet(permissions: Permissions | undefined, locate: Locate = () => undefined): PermissionSet {
  if (!permissions) return {};
  const { mode, allow, deny, rules, ask_from: askFrom, budget_usd: budgetUsd } = permissions;
  const patterns = (list: string[] | undefined, field: string) =>
    list?.map((pattern, index) => ({ pattern, source: locate([field, index]) }));
  return {
    mode: mode && { value: mode, source: locate(["mode"]) },
    allow: patterns(allow, "allow"),
    deny: patterns(deny, "deny"),
    rules: rules?.map((rule, index) => ({ ...rule, source: locate(["rules", index]) })),
    askFrom: askFrom && { value: askFrom, source: locate(["ask_from"]) },
    budgetUsd: budgetUsd === undefined ? undefined : { value: budgetUsd, source: locate(["budget_usd"]) },
  };
}

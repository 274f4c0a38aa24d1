/**
 * A context in which a call of `crm.delete-record` is neither restricted nor granted by name, for the policy's tests.
 */
import type { Permissions } from "@/lib/config/permission-schema";
import { allowlistSchema, permissionsSchema } from "@/lib/config/permission-schema";
import type { SourceLocation } from "@/lib/config/source-location";
import { type AgentScope, type PolicyCall, type PolicyContext, toGrants, toPermissionSet } from "./policy-input";

export const CALL: PolicyCall = {
  server: "crm",
  definition: "crm",
  tool: "delete-record",
  arguments: { id: 7, amount: 50 },
};

/** One line per path, so that a test can see which part of the file answered. */
export function at(file: string): (path: (string | number)[]) => SourceLocation {
  return (path) => ({ file, line: 1 + path.join("/").length, column: 1 });
}

export function scopeOf(allowlist: unknown[], permissions: unknown = {}, agent = "triage"): AgentScope {
  const file = `agents/${agent}.agent.yaml`;
  return {
    agent,
    servers: [{ name: "crm", definition: "crm", grants: toGrants(allowlistSchema.parse(allowlist), at(file)) }],
    permissions: toPermissionSet(permissionsSchema.parse(permissions), at(file)),
    only: null,
  };
}

export interface Changes {
  allowlist?: unknown[];
  permissions?: unknown;
  project?: unknown;
  tool?: Partial<PolicyContext["tool"]>;
  budget?: Partial<PolicyContext["budget"]>;
  hasLock?: boolean;
  allowBypass?: boolean;
}

export function contextOf(changes: Changes = {}): PolicyContext {
  return {
    scopes: [scopeOf(changes.allowlist ?? ["*"], changes.permissions)],
    project: toPermissionSet(permissionsSchema.parse(changes.project ?? {}) as Permissions, at("policy.yaml")),
    tool: { listing: "listed", annotations: undefined, facts: {}, pin: "pinned", ...changes.tool },
    hasLock: changes.hasLock ?? true,
    budget: { usedUsd: 0, toolsUsedUsd: 0, estimatedUsd: 0, limitUsd: null, ...changes.budget },
    deployment: { allowBypass: changes.allowBypass ?? true },
  };
}

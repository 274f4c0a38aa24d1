/**
 * Sub-agents. A scope is not computed by cutting patterns: both agents' rules are kept and both must agree on each
 * call, so that no combination of wildcards, exact names and conditions can give a child more than its parent has.
 */
import type { AgentScope, PolicyCall } from "./policy-input";
import { matchesName, matchesTool } from "./tool-pattern";

/** The chain for a call by `child`, started by an agent whose own chain is `parent`. Never more than the parent. */
export function intersectScopes(parent: readonly AgentScope[], child: AgentScope): AgentScope[] {
  if (parent.length === 0) throw new Error("unreachable: a sub-agent always has a parent");
  return [...parent, child];
}

/** Whether every agent of the chain may call the tool at all: what may be shown to the model. */
export function isGranted(scopes: readonly AgentScope[], call: Pick<PolicyCall, "server" | "tool">): boolean {
  return scopes.length > 0 && scopes.every((scope) => isGrantedBy(scope, call));
}

function isGrantedBy(scope: AgentScope, call: Pick<PolicyCall, "server" | "tool">): boolean {
  const grants = Object.hasOwn(scope.grants, call.server) ? (scope.grants[call.server] ?? []) : [];
  const isInSubset = scope.only === null || scope.only.some((entry) => matchesTool(entry.pattern, call, "allow"));
  return isInSubset && grants.some((grant) => matchesName(grant.pattern, call.tool));
}

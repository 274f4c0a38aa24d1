/**
 * Sub-agents. A scope is not computed by cutting patterns: both agents' rules are kept and both must agree on each
 * call, so that no combination of wildcards, exact names and conditions can give a child more than its parent has.
 */
import { listGrants } from "./layer-input";
import type { AgentScope } from "./policy-input";
import { matchesName, matchesTool, type ToolName } from "./tool-pattern";

/** The chain for a call by `child`, started by an agent whose own chain is `parent`. Never more than the parent. */
export function intersectScopes(parent: readonly AgentScope[], child: AgentScope): AgentScope[] {
  if (parent.length === 0) throw new Error("unreachable: a sub-agent always has a parent");
  return [...parent, child];
}

/** Whether every agent of the chain may call the tool at all: what may be shown to the model. */
export function isGranted(scopes: readonly AgentScope[], tool: ToolName): boolean {
  return scopes.length > 0 && scopes.every((scope) => isGrantedBy(scope, tool, scope === scopes.at(-1)));
}

function isGrantedBy(scope: AgentScope, tool: ToolName, isCaller: boolean): boolean {
  const isInSubset =
    scope.only === null || scope.only.some((entry) => matchesTool(entry.pattern, tool, "project_allow"));
  return isInSubset && listGrants(tool, scope, isCaller).some((grant) => matchesName(grant.pattern, tool.tool));
}

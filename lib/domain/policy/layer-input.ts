/** What every layer sees: the call, one agent's scope, the project's policy, and what follows from both. */
import type { Danger } from "@/lib/domain/danger";
import type { AgentScope, Grant, PermissionSet, PolicyCall, PolicyContext } from "./policy-input";
import { matchesName, specificity } from "./tool-pattern";

export interface LayerInput {
  call: PolicyCall;
  scope: AgentScope;
  project: PermissionSet;
  context: PolicyContext;
  danger: Danger;
  /** The allowlist entries that fit best; more than one when several are equally specific. Empty: nothing fits. */
  grants: readonly Grant[];
  modes: Modes;
}

/**
 * The modes of policy.yaml and of the agent together. Restrictions add up, because `plan` and `strict` forbid different
 * things; `bypass` holds only when nobody who states a mode states another.
 */
export interface Modes {
  bypass: boolean;
  plan: boolean;
  strict: boolean;
}

export function toLayerInput(call: PolicyCall, scope: AgentScope, context: PolicyContext, danger: Danger): LayerInput {
  const { project } = context;
  return { call, scope, project, context, danger, grants: bestGrants(call, scope), modes: joinModes(project, scope.permissions) };
}

/** A server the agent does not have gives no grants, nor does a name that only objects have, such as `constructor`. */
function bestGrants(call: PolicyCall, scope: AgentScope): Grant[] {
  const all = Object.hasOwn(scope.grants, call.server) ? (scope.grants[call.server] ?? []) : [];
  const fitting = all.filter((grant) => matchesName(grant.pattern, call.tool));
  const best = Math.max(...fitting.map((grant) => specificity(grant.pattern)));
  return fitting.filter((grant) => specificity(grant.pattern) === best);
}

function joinModes(project: PermissionSet, agent: PermissionSet): Modes {
  const stated = [project.mode?.value, agent.mode?.value].filter((mode) => mode !== undefined);
  return {
    bypass: stated.length > 0 && stated.every((mode) => mode === "bypass"),
    plan: stated.includes("plan"),
    strict: stated.includes("strict"),
  };
}

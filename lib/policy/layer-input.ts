/** What every layer sees: the call, one agent's scope, the project's policy, and what follows from both. */
import type { Danger } from "@/lib/policy/danger";
import type { AgentScope, Grant, PermissionSet, PolicyCall, PolicyContext } from "./policy-input";
import { matchesName, specificity } from "./tool-pattern";

export interface LayerInput {
  call: PolicyCall;
  scope: AgentScope;
  project: PermissionSet;
  context: PolicyContext;
  danger: Danger;
  /** The allowlist entries that match best; more than one when several are equally specific. Empty: nothing matches. */
  grants: readonly Grant[];
  modes: Modes;
}

/**
 * The modes of policy.yaml and of the agent together. Restrictions add up, because `plan` and `strict` forbid different
 * things; `bypass` applies only when every stated mode is bypass.
 */
export interface Modes {
  bypass: boolean;
  plan: boolean;
  strict: boolean;
}

/** A call before its layers are asked: `danger` is the same for all agents of the chain. */
export interface AssessedCall {
  call: PolicyCall;
  context: PolicyContext;
  danger: Danger;
}

export function toLayerInput({ call, context, danger }: AssessedCall, scope: AgentScope): LayerInput {
  const { project } = context;
  const isCaller = scope === context.scopes.at(-1);
  return {
    call,
    scope,
    project,
    context,
    danger,
    grants: bestGrants(call, scope, isCaller),
    modes: joinModes(project, scope.permissions),
  };
}

/** The entries that match the call best; none for a server that the agent does not have. */
function bestGrants(call: PolicyCall, scope: AgentScope, isCaller: boolean): Grant[] {
  const fitting = listGrants(call, scope, isCaller).filter((grant) => matchesName(grant.pattern, call.tool));
  const best = Math.max(...fitting.map((grant) => specificity(grant.pattern)));
  return fitting.filter((grant) => specificity(grant.pattern) === best);
}

/**
 * The grants for the server itself, whatever it is called: an agent above the caller may use another name for it. Where
 * one agent has a server twice under two names, each name has its own grants.
 */
export function listGrants(
  call: Pick<PolicyCall, "server" | "definition">,
  scope: AgentScope,
  isCaller: boolean,
): Grant[] {
  const entries = scope.servers.filter((entry) => entry.definition === call.definition);
  const named = entries.filter((entry) => entry.name === call.server);
  return (isCaller || named.length > 0 ? named : entries).flatMap((entry) => entry.grants);
}

function joinModes(project: PermissionSet, agent: PermissionSet): Modes {
  const stated = [project.mode?.value, agent.mode?.value].filter((mode) => mode !== undefined);
  return {
    bypass: stated.length > 0 && stated.every((mode) => mode === "bypass"),
    plan: stated.includes("plan"),
    strict: stated.includes("strict"),
  };
}

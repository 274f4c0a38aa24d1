/** Scopes and permissions as the policy reads them, from a loaded project. */
import type { Project, ProjectAgent, ProjectSubagent } from "@/lib/config/project";
import { intersectScopes } from "./intersect-scopes";
import { type AgentScope, type PermissionSet, toGrants, toPermissionSet } from "./policy-input";

type Located = Pick<Project, "locate">;

/**
 * An agent's own scope. A server without `access` is open to all of its tools, which the layers after the first still
 * check.
 */
export function toAgentScope(project: Located, agent: ProjectAgent): AgentScope {
  const { file, definition } = agent;
  const servers = agent.servers.map(({ index, name, server }) => {
    const at = ["servers", index];
    const allowlist = definition.servers[index]?.access?.allowlist;
    const grants = allowlist
      ? toGrants(allowlist, (path) => project.locate(file, [...at, "access", "allowlist", ...path]))
      : [{ pattern: "*", requireApproval: null, source: project.locate(file, at) }];
    return { name, definition: server.name, grants };
  });
  return {
    agent: agent.name,
    servers,
    permissions: toPermissionSet(definition.permissions, (path) => project.locate(file, ["permissions", ...path])),
    only: null,
  };
}

/** The chain for a sub-agent of `parent.agent`, whose own chain is `parent.scopes`. */
export function toSubagentScopes(
  project: Located,
  parent: { agent: ProjectAgent; scopes: readonly AgentScope[] },
  subagent: ProjectSubagent,
): AgentScope[] {
  return intersectScopes(parent.scopes, {
    ...toAgentScope(project, subagent.agent),
    only: toSubset(project, parent.agent, subagent),
  });
}

/** The scope of an agent when it works for `parent`: it gets only tools that the parent names. */
export function toScopeUnder(project: Located, parent: ProjectAgent, agent: ProjectAgent): AgentScope {
  const subagent = parent.subagents.find((candidate) => candidate.agent.name === agent.name);
  return { ...toAgentScope(project, agent), only: subagent ? toSubset(project, parent, subagent) : [] };
}

/** The subset uses the parent's names for servers. */
function toSubset(project: Located, parent: ProjectAgent, { tools, at }: ProjectSubagent): AgentScope["only"] {
  return (
    tools?.map((pattern, index) => ({
      pattern: toOwnName(parent, pattern),
      source: project.locate(parent.file, [...at, "tools", index]),
    })) ?? null
  );
}

/**
 * The chain of a recorded call, for its callers by name, outermost first. Null when the project no longer has one of
 * them, or not below the other.
 */
export function toCallerScopes(
  project: Pick<Project, "locate" | "agents">,
  callers: readonly string[],
): AgentScope[] | null {
  const [first, ...below] = callers.map((name) =>
    Object.hasOwn(project.agents, name) ? project.agents[name] : undefined,
  );
  if (!first) return null;
  let [parent, scopes] = [first, [toAgentScope(project, first)]];
  for (const agent of below) {
    const subagent = parent.subagents.find((candidate) => candidate.agent.name === agent?.name);
    if (!agent || !subagent) return null;
    [parent, scopes] = [agent, toSubagentScopes(project, { agent: parent, scopes }, subagent)];
  }
  return scopes;
}

function toOwnName(agent: ProjectAgent, pattern: string): string {
  const known = agent.servers.filter((entry) => pattern.startsWith(`${entry.name}.`));
  const [entry] = known.toSorted((left, right) => right.name.length - left.name.length);
  return entry ? `${entry.server.name}${pattern.slice(entry.name.length)}` : pattern;
}

/** What policy.yaml states for all agents. */
export function toProjectPermissions(project: Pick<Project, "locate" | "policy">): PermissionSet {
  return toPermissionSet(project.policy?.permissions, (path) =>
    project.locate("policy.yaml", ["permissions", ...path]),
  );
}

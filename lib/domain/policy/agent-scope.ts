/** Scopes and permissions as the policy reads them, from a loaded project. */
import type { Project, ProjectAgent, ProjectSubagent } from "@/lib/config/project";
import { intersectScopes } from "./intersect-scopes";
import { type AgentScope, type PermissionSet, toGrants, toPermissionSet } from "./policy-input";

type Located = Pick<Project, "locate">;

/** An agent's own scope. A server without `access` is open to all of its tools, which layers after the first still judge. */
export function toAgentScope(project: Located, agent: ProjectAgent): AgentScope {
  const { file, definition } = agent;
  const grants = agent.servers.map(({ index, name }) => {
    const at = ["servers", index];
    const allowlist = definition.servers[index]?.access?.allowlist;
    if (!allowlist) return [name, [{ pattern: "*", requireApproval: null, source: project.locate(file, at) }]] as const;
    return [name, toGrants(allowlist, (path) => project.locate(file, [...at, "access", "allowlist", ...path]))] as const;
  });
  return {
    agent: agent.name,
    grants: Object.fromEntries(grants),
    permissions: toPermissionSet(definition.permissions, (path) => project.locate(file, ["permissions", ...path])),
    only: null,
  };
}

/** The chain for a sub-agent of an agent whose own chain is `parent`. */
export function toSubagentScopes(project: Located, parent: readonly AgentScope[], parentFile: string, subagent: ProjectSubagent): AgentScope[] {
  const only = subagent.tools?.map((pattern, index) => ({ pattern, source: project.locate(parentFile, [...subagent.at, "tools", index]) })) ?? null;
  return intersectScopes(parent, { ...toAgentScope(project, subagent.agent), only });
}

/** What policy.yaml states for all agents. */
export function toProjectPermissions(project: Pick<Project, "locate" | "policy">): PermissionSet {
  return toPermissionSet(project.policy?.permissions, (path) => project.locate("policy.yaml", ["permissions", ...path]));
}

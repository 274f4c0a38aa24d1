/**
 * Whether whoever started a run may accept an answer that its agent put before a person. Only what is stated counts;
 * nothing stated means no.
 */
import type { Project } from "@/lib/config/project";

/**
 * `agents` are those who worked on the answer, the one who gave it first. Any of them, and policy.yaml, can forbid it
 * for all.
 */
export function mayAcceptOwn(project: Pick<Project, "agents" | "policy">, agents: readonly string[]): boolean {
  const forAll = project.policy?.permissions?.self_approval;
  const stated = agents.map((name) =>
    Object.hasOwn(project.agents, name) ? project.agents[name]?.definition.permissions?.self_approval : undefined,
  );
  return (stated[0] ?? forAll) === true && forAll !== false && !stated.includes(false);
}

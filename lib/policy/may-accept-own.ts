/**
 * Whether the person who started a run may accept an answer that its agent submitted for review. Only what is stated
 * counts; nothing stated means no.
 */
import type { Project } from "@/lib/config/project";

/** `agents` worked on the answer; the first one gave it. Any of them, and policy.yaml, can forbid it for all. */
export function mayAcceptOwn(project: Pick<Project, "agents" | "policy">, agents: readonly string[]): boolean {
  const forAll = project.policy?.permissions?.self_approval;
  const stated = agents.map((name) =>
    Object.hasOwn(project.agents, name) ? project.agents[name]?.definition.permissions?.self_approval : undefined,
  );
  return (stated[0] ?? forAll) === true && forAll !== false && !stated.includes(false);
}

/** Applies the groups that policy.yaml names, and their members, when a process starts. */
import type { Runtime } from "@/lib/runs/runtime";
import { createId } from "@/lib/ids";
import { keepProjectGroups } from "@/lib/people/transitions/keep-project-groups";

export async function readProjectGroups(deps: Pick<Runtime, "db" | "now" | "projects">): Promise<void> {
  const groups = deps.projects.current().project.policy?.groups ?? {};
  const wanted = Object.entries(groups).map(([name, { description = "", members }]) => ({
    id: createId("group"),
    name,
    description,
    // Accounts are stored in lower case.
    emails: [...new Set(members.map((email) => email.toLowerCase()))].sort(),
  }));
  await keepProjectGroups(deps.db, wanted, deps.now());
}

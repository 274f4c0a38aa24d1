/** Groups of people, for `approvers`. YAML refers to their names, so all names have one form. */
import { z } from "zod";
import type { Project } from "@/lib/config/project";
import { formatSourceLocation } from "@/lib/config/source-location";
import type { Actor } from "@/lib/people/rules/actor";
import { ROLES } from "@/lib/people/rules/roles";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { createId } from "@/lib/ids";
import { changeGroupRow } from "@/lib/people/transitions/change-group";
import { createGroupRow } from "@/lib/people/transitions/create-group";
import { deleteGroupRow } from "@/lib/people/transitions/delete-group";
import { setGroupMembersRow } from "@/lib/people/transitions/set-group-members";

const groupSchema = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(/^[a-z][a-z0-9-]{0,62}$/, "starts with a letter and holds small letters, digits and hyphens, 63 at most")
    .refine((name) => !(ROLES as readonly string[]).includes(name), "is the name of a role"),
  description: z.string().trim().max(300).default(""),
});

const POLICY_FILE = "policy.yaml";

/** What policy.yaml says of groups is not undone here. `null` in a process that could not open the project. */
export type GroupDeps = EngineDeps & { project: Pick<Project, "policy" | "locate"> | null };

const nameTaken = (name: string) => {
  const message = `There is a group named ${name} already; nothing was changed.`;
  return new KimitsuError("conflict", message, { issues: [{ path: "name", message }] });
};
const absent = (id: string) => new KimitsuError("not_found", `There is no group ${id}.`);

export async function createGroup(
  deps: EngineDeps,
  actor: Actor,
  input: z.input<typeof groupSchema>,
): Promise<{ id: string }> {
  const group = parseInput(groupSchema, input);
  const created = await createGroupRow(deps.db, { id: createId("group"), ...group }, actor, deps.now());
  if (!created) throw nameTaken(group.name);
  return created;
}

export async function changeGroup(
  deps: GroupDeps,
  actor: Actor,
  groupId: string,
  input: z.input<typeof groupSchema>,
): Promise<void> {
  const group = parseInput(groupSchema, input);
  const outcome = await changeGroupRow(
    deps.db,
    { id: groupId, ...group, kept: namesIn(deps.project) },
    actor,
    deps.now(),
  );
  if (outcome.kind === "name_taken") throw nameTaken(group.name);
  if (outcome.kind === "absent") throw absent(groupId);
  if (outcome.kind === "kept")
    throw new KimitsuError(
      "conflict",
      `${placeOf(deps.project, outcome.name)} names the group ${outcome.name}; change its name there. Nothing was changed.`,
    );
}

export async function deleteGroup(deps: GroupDeps, actor: Actor, groupId: string): Promise<void> {
  const outcome = await deleteGroupRow(deps.db, { id: groupId, kept: namesIn(deps.project) }, actor, deps.now());
  if (outcome.kind === "absent") throw absent(groupId);
  if (outcome.kind === "kept")
    throw new KimitsuError(
      "conflict",
      `${placeOf(deps.project, outcome.name)} names the group ${outcome.name}; take it out there first. Nothing was changed.`,
    );
}

export async function setGroupMembers(
  deps: GroupDeps,
  actor: Actor,
  change: { groupId: string; userIds: string[] },
): Promise<void> {
  const outcome = await setGroupMembersRow(deps.db, change, actor, deps.now());
  if (outcome.kind === "absent") throw absent(change.groupId);
  if (outcome.kind === "set") return;
  const named = outcome.members.map(
    ({ name, email }) =>
      `${name} (${email}) is a member of ${outcome.group} because ${placeOf(deps.project, outcome.group, email)} says so`,
  );
  throw new KimitsuError("conflict", `${named.join("; ")}; take them out there. Nothing was changed.`);
}

const namesIn = (project: GroupDeps["project"]): string[] => Object.keys(project?.policy?.groups ?? {});

/**
 * Where policy.yaml names the group, or one of its members; the file alone where this process reads another one than
 * the one that named them.
 */
function placeOf(project: GroupDeps["project"], group: string, email?: string): string {
  const groups = project?.policy?.groups ?? {};
  if (!project || !Object.hasOwn(groups, group)) return POLICY_FILE;
  // Accounts are stored in lower case.
  const index =
    email === undefined ? -1 : (groups[group]?.members.findIndex((member) => member.toLowerCase() === email) ?? -1);
  if (email !== undefined && index < 0) return POLICY_FILE;
  return formatSourceLocation(project.locate(POLICY_FILE, ["groups", group, ...(index < 0 ? [] : ["members", index])]));
}

/** Groups of people, for `approvers`. Names are what YAML uses, so they keep to one form. */
import { z } from "zod";
import type { Actor } from "@/lib/domain/actor";
import { ROLES } from "@/lib/domain/roles";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/engine/deps";
import { parseInput } from "@/lib/engine/parse-input";
import { createId } from "@/lib/ids";
import { changeGroupRow } from "@/lib/store/transitions/change-group";
import { createGroupRow } from "@/lib/store/transitions/create-group";
import { deleteGroupRow } from "@/lib/store/transitions/delete-group";
import { setGroupMembersRow } from "@/lib/store/transitions/set-group-members";

const groupSchema = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(/^[a-z][a-z0-9-]{0,62}$/, "starts with a letter and holds small letters, digits and hyphens, 63 at most")
    .refine((name) => !(ROLES as readonly string[]).includes(name), "is the name of a role"),
  description: z.string().trim().max(300).default(""),
});

const nameTaken = (name: string) => {
  const message = `There is a group named ${name} already; nothing was changed.`;
  return new KimitsuError("conflict", message, { issues: [{ path: "name", message }] });
};
const absent = (id: string) => new KimitsuError("not_found", `There is no group ${id}.`);

export async function createGroup(deps: EngineDeps, actor: Actor, input: z.input<typeof groupSchema>): Promise<{ id: string }> {
  const group = parseInput(groupSchema, input);
  const created = await createGroupRow(deps.db, { id: createId("group"), ...group }, actor, deps.now());
  if (!created) throw nameTaken(group.name);
  return created;
}

export async function changeGroup(deps: EngineDeps, actor: Actor, groupId: string, input: z.input<typeof groupSchema>): Promise<void> {
  const group = parseInput(groupSchema, input);
  const outcome = await changeGroupRow(deps.db, { id: groupId, ...group }, actor, deps.now());
  if (outcome === "name_taken") throw nameTaken(group.name);
  if (outcome === "absent") throw absent(groupId);
}

export async function deleteGroup(deps: EngineDeps, actor: Actor, groupId: string): Promise<void> {
  if (!(await deleteGroupRow(deps.db, groupId, actor, deps.now()))) throw absent(groupId);
}

export async function setGroupMembers(deps: EngineDeps, actor: Actor, change: { groupId: string; userIds: string[] }): Promise<void> {
  if (!(await setGroupMembersRow(deps.db, change, actor, deps.now()))) throw absent(change.groupId);
}

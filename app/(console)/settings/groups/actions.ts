"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import type { FormState } from "@/components/ui/form-state";
import { actorOf, requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { changeGroup, createGroup, deleteGroup, setGroupMembers } from "@/lib/people/groups";
import { KimitsuError } from "@/lib/errors";
import { listGroups } from "@/lib/people/queries/list-groups";
import { runAction, textField } from "../../run-action";
import { findCurrentProject } from "../../workflows/current-project";

const GROUPS = "/settings/groups";

const groupDeps = () => ({ ...engineDeps(), project: findCurrentProject() });

export async function addGroup(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    const { id } = await createGroup(engineDeps(), actorOf(session), {
      name: textField(form, "name") ?? "",
      description: textField(form, "description"),
    });
    revalidatePath(GROUPS);
    redirect(`${GROUPS}/${id}`);
  });
}

export async function saveGroup(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    await changeGroup(groupDeps(), actorOf(session), textField(form, "groupId") ?? "", {
      name: textField(form, "name") ?? "",
      description: textField(form, "description"),
    });
    revalidatePath("/", "layout");
    return { message: "Group saved" };
  });
}

export async function removeGroup(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    await deleteGroup(groupDeps(), actorOf(session), textField(form, "groupId") ?? "");
    revalidatePath("/", "layout");
    redirect(GROUPS);
  });
}

/** Adds or removes one person; the others are read again, so that an old page overwrites nobody. */
export async function changeMember(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    const deps = groupDeps();
    const [groupId, userId] = [textField(form, "groupId") ?? "", textField(form, "userId") ?? ""];
    const group = (await listGroups(deps.db)).find(({ id }) => id === groupId);
    if (!group) throw new KimitsuError("not_found", `There is no group ${groupId}.`);
    const others = group.members.map(({ id }) => id).filter((id) => id !== userId);
    const isMember = textField(form, "member") === "yes";
    await setGroupMembers(deps, actorOf(session), { groupId, userIds: isMember ? [...others, userId] : others });
    revalidatePath("/", "layout");
    return { message: isMember ? `Added to ${group.name}` : `Taken out of ${group.name}` };
  });
}

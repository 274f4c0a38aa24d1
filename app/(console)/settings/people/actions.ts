"use server";

import { revalidatePath } from "next/cache";
import { z } from "zod";
import type { FormState } from "@/components/ui/form-state";
import { actorOf, requirePermission } from "@/lib/people/session/session";
import { changeUserRole } from "@/lib/people/change-user-role";
import { createUser, createUserSchema } from "@/lib/people/create-user";
import { engineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { setPassword } from "@/lib/people/set-password";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { runAction, textField } from "../../run-action";
import { ROLE_TEXT } from "../role-text";

const PEOPLE = "/settings/people";

export async function addPerson(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    const person = parseInput(createUserSchema, {
      email: textField(form, "email") ?? "",
      name: textField(form, "name") ?? "",
      role: textField(form, "role"),
      password: textField(form, "password"),
    });
    const created = await createUser(engineDeps(), actorOf(session), person);
    revalidatePath(PEOPLE);
    return { message: `${created.email} can sign in now`, secret: created.password };
  });
}

const roleChangeSchema = z.object({ userId: z.string(), role: createUserSchema.shape.role });

export async function changeRole(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    const change = parseInput(roleChangeSchema, { userId: textField(form, "userId"), role: textField(form, "role") });
    await changeUserRole(engineDeps(), actorOf(session), change);
    revalidatePath("/", "layout");
    return { message: `Role is now ${ROLE_TEXT[change.role].label}` };
  });
}

export async function changeDisabled(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    const disabled = textField(form, "disabled") === "yes";
    await setUserDisabled(engineDeps(), actorOf(session), { userId: textField(form, "userId") ?? "", disabled });
    revalidatePath(PEOPLE);
    return { message: disabled ? "Account disabled" : "Account enabled" };
  });
}

/** For someone else. One's own password is changed under Settings, You, with the current one. */
export async function changePassword(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    await setPassword(engineDeps(), actorOf(session), {
      userId: textField(form, "userId") ?? "",
      password: textField(form, "password") ?? "",
    });
    revalidatePath(PEOPLE);
    return { message: "Password set; all their sessions and tokens ended" };
  });
}

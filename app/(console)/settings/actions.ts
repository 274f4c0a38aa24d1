"use server";

import { revalidatePath } from "next/cache";
import type { FormState } from "@/components/ui/form-state";
import { signOut } from "@/app/api/auth/auth";
import { actorOf, requireSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { renameUser } from "@/lib/people/rename-user";
import { setPassword } from "@/lib/people/set-password";
import { runAction, textField } from "../run-action";

export async function saveOwnName(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requireSession();
  return runAction(form, async () => {
    await renameUser(engineDeps(), actorOf(session), { userId: session.user.id, name: textField(form, "name") ?? "" });
    revalidatePath("/", "layout");
    return { message: "Name saved" };
  });
}

/** The use case ends every session of the person, so this one is ended properly too and the sign-in page says why. */
export async function changeOwnPassword(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requireSession();
  return runAction(form, async () => {
    await setPassword(engineDeps(), actorOf(session), {
      userId: session.user.id,
      password: textField(form, "password") ?? "",
      currentPassword: textField(form, "currentPassword"),
    });
    await signOut({ redirectTo: "/sign-in?changed=password" });
    return { message: "Password changed" };
  });
}

"use server";

import { revalidatePath } from "next/cache";
import type { FormState } from "@/components/ui/form-state";
import { actorOf, requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { runAction, textField } from "../../run-action";

export async function changePause(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("admin");
  return runAction(form, async () => {
    const paused = textField(form, "paused") === "yes";
    await pauseDispatch(engineDeps(), actorOf(session), paused);
    revalidatePath("/", "layout");
    return { message: paused ? "All calls are paused" : "Calls go again" };
  });
}

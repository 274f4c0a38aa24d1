"use server";

import { revalidatePath } from "next/cache";
import type { FormState } from "@/components/ui/form-state";
import { requirePermission } from "@/lib/people/session/session";
import { toNoticeDeps } from "@/lib/notices/notice-deps";
import { testChannel } from "@/lib/notices/notify-channels";
import { runtime } from "@/lib/runs/runtime";
import { runAction, textField } from "../../run-action";

export async function tryChannel(_state: FormState, form: FormData): Promise<FormState> {
  const { user } = await requirePermission("admin");
  return runAction(form, async () => {
    const name = textField(form, "channel") ?? "";
    await testChannel(toNoticeDeps(runtime()), name, { name: user.name, email: user.email });
    revalidatePath("/settings/channels");
    return { message: `${name} took the test message` };
  });
}

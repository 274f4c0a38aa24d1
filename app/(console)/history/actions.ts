"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import type { FormState } from "@/components/ui/form-state";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { changeView, deleteView, saveView } from "@/lib/people/saved-views";
import { runAction, textField } from "../run-action";
import { ALL_RUNS } from "./all-runs";
import { formatHistoryQuery, readHistoryQuery } from "./filter";

export async function save(_state: FormState, form: FormData): Promise<FormState> {
  const { user } = await requirePermission("runs:read");
  return runAction(form, async () => {
    // Only filters are stored, in a fixed order, whatever the form was given.
    const query = formatHistoryQuery(
      readHistoryQuery(Object.fromEntries(new URLSearchParams(textField(form, "query") ?? ""))),
    );
    await saveView(engineDeps(), user.id, {
      name: textField(form, "name") ?? "",
      query,
      isDefault: form.has("isDefault"),
    });
    revalidatePath("/history");
    return { message: "View saved" };
  });
}

export async function change(_state: FormState, form: FormData): Promise<FormState> {
  const { user } = await requirePermission("runs:read");
  return runAction(form, async () => {
    await changeView(engineDeps(), user.id, {
      id: textField(form, "id") ?? "",
      name: textField(form, "name") ?? "",
      isDefault: form.has("isDefault"),
    });
    revalidatePath("/history");
    return { message: "View changed" };
  });
}

export async function remove(_state: FormState, form: FormData): Promise<FormState> {
  const { user } = await requirePermission("runs:read");
  return runAction(form, async () => {
    await deleteView(engineDeps(), user.id, textField(form, "id") ?? "");
    revalidatePath("/history");
    redirect(ALL_RUNS);
  });
}

/**
 * Views of History: filters that a person saved under a name. Each person has their own, and nobody else can see or
 * change them.
 */
import { z } from "zod";
import { SAVED_VIEWS_MAX } from "@/lib/limits";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { createId } from "@/lib/ids";
import { changeViewRow } from "@/lib/people/transitions/change-view";
import { deleteViewRow } from "@/lib/people/transitions/delete-view";
import { saveViewRow } from "@/lib/people/transitions/save-view";

const name = z.string().trim().min(1, "is missing").max(60, "has at most 60 characters");
const newViewSchema = z.strictObject({
  name,
  query: z.string().min(1, "names no filter").max(2_000, "is too long to be kept"),
  isDefault: z.boolean(),
});
const changeSchema = z.strictObject({ id: z.string(), name, isDefault: z.boolean() });

const nameTaken = (taken: string) => {
  const message = `You have a view named ${taken} already; nothing was changed.`;
  return new KimitsuError("conflict", message, { issues: [{ path: "name", message }] });
};
const absent = (id: string) => new KimitsuError("not_found", `You have no view ${id}.`);

/** Refused when the person has a view of this name; two at the same instant make one. */
export async function saveView(
  deps: EngineDeps,
  userId: string,
  input: z.input<typeof newViewSchema>,
): Promise<{ id: string }> {
  const view = { id: createId("view"), userId, ...parseInput(newViewSchema, input) };
  const outcome = await saveViewRow(deps.db, view, { viewsMax: SAVED_VIEWS_MAX, at: deps.now() });
  if (outcome === "name_taken") throw nameTaken(view.name);
  if (outcome === "too_many")
    throw new KimitsuError(
      "conflict",
      `You have ${SAVED_VIEWS_MAX} views, which is as many as are kept; delete one first.`,
    );
  return { id: view.id };
}

export async function changeView(deps: EngineDeps, userId: string, input: z.input<typeof changeSchema>): Promise<void> {
  const change = parseInput(changeSchema, input);
  const outcome = await changeViewRow(deps.db, { userId, ...change });
  if (outcome === "name_taken") throw nameTaken(change.name);
  if (outcome === "absent") throw absent(change.id);
}

export async function deleteView(deps: EngineDeps, userId: string, id: string): Promise<void> {
  if (!(await deleteViewRow(deps.db, { id, userId }))) throw absent(id);
}

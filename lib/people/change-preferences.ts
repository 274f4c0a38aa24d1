/** Stores a person's own preferences. */
import { z } from "zod";
import type { Actor } from "@/lib/people/rules/actor";
import { preferencesChangeSchema } from "@/lib/people/rules/preferences";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { changePreferencesRow } from "@/lib/people/transitions/change-preferences";

const changeSchema = z.strictObject({ userId: z.string(), preferences: preferencesChangeSchema });

export async function changePreferences(
  deps: EngineDeps,
  actor: Actor,
  input: z.input<typeof changeSchema>,
): Promise<void> {
  const change = parseInput(changeSchema, input);
  if (!(await changePreferencesRow(deps.db, change, actor, deps.now())))
    throw new KimitsuError("not_found", `There is no person ${change.userId}.`);
}

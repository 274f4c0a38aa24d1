/** Gives a person another name. */
import { z } from "zod";
import type { Actor } from "@/lib/people/rules/actor";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { personNameSchema } from "@/lib/people/create-user";
import { parseInput } from "@/lib/text/parse-input";
import { renameUserRow } from "@/lib/people/transitions/rename-user";

const renameSchema = z.strictObject({ userId: z.string(), name: personNameSchema });

export async function renameUser(deps: EngineDeps, actor: Actor, input: z.input<typeof renameSchema>): Promise<void> {
  const change = parseInput(renameSchema, input);
  if (!(await renameUserRow(deps.db, change, actor, deps.now())))
    throw new KimitsuError("not_found", `There is no person ${change.userId}.`);
}

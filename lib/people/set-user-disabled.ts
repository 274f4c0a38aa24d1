/**
 * Disables a person's account (their sessions and tokens end with the next request) or enables it again. The last admin
 * cannot be disabled.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { getPerson } from "@/lib/people/queries/get-person";
import { setUserDisabledRow } from "@/lib/people/transitions/set-user-disabled";

export async function setUserDisabled(
  deps: EngineDeps,
  actor: Actor,
  change: { userId: string; disabled: boolean },
): Promise<void> {
  const person = await getPerson(deps.db, change.userId);
  if (person.disabled === change.disabled) return;
  if (await setUserDisabledRow(deps.db, change, actor, deps.now())) return;
  const now = await getPerson(deps.db, change.userId);
  if (now.disabled === change.disabled) return;
  throw new KimitsuError(
    "conflict",
    `${person.email} is the only admin left who can sign in; make someone else admin first. Nothing was changed.`,
  );
}

/** Gives a person another role; it holds from their next request on. The last admin cannot be demoted. */
import type { Actor } from "@/lib/people/rules/actor";
import type { Role } from "@/lib/people/rules/roles";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { getPerson } from "@/lib/people/queries/get-person";
import { changeUserRoleRow } from "@/lib/people/transitions/change-user-role";

export async function changeUserRole(
  deps: EngineDeps,
  actor: Actor,
  change: { userId: string; role: Role },
): Promise<void> {
  const person = await getPerson(deps.db, change.userId);
  if (person.role === change.role) return;
  if (await changeUserRoleRow(deps.db, change, actor, deps.now())) return;
  const now = await getPerson(deps.db, change.userId);
  if (now.role === change.role) return;
  throw new KimitsuError(
    "conflict",
    `${person.email} is the only admin left who can sign in; make someone else admin first. Nothing was changed.`,
  );
}

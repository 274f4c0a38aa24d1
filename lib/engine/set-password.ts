/**
 * Replaces a password and ends all sessions of that person. For one's own the current password is needed, so that an
 * unlocked screen is not enough; an admin who sets someone else's needs none.
 */
import type { Actor } from "@/lib/domain/actor";
import { hashPassword, passwordProblem, verifyPassword } from "@/lib/domain/password";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/engine/deps";
import { getPerson } from "@/lib/store/queries/get-person";
import { findPasswordHash } from "@/lib/store/queries/find-password-hash";
import { setUserPasswordRow } from "@/lib/store/transitions/set-user-password";

export interface PasswordChange {
  userId: string;
  password: string;
  currentPassword?: string;
}

export async function setPassword(deps: EngineDeps, actor: Actor, change: PasswordChange): Promise<void> {
  const person = await getPerson(deps.db, change.userId);
  const problem = passwordProblem(change.password, person.email);
  if (problem) throw new KimitsuError("invalid_request", problem, { issues: [{ path: "password", message: problem }] });
  if (actor.id === change.userId) {
    const stored = await findPasswordHash(deps.db, change.userId);
    if (stored !== null && !(await verifyPassword(change.currentPassword ?? "", stored))) {
      const message = "The current password is not right; nothing was changed.";
      throw new KimitsuError("invalid_request", message, { issues: [{ path: "currentPassword", message }] });
    }
  }
  await setUserPasswordRow(deps.db, { userId: change.userId, passwordHash: await hashPassword(change.password) }, actor, deps.now());
}

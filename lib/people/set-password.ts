/**
 * Replaces a password and ends all sessions of that person. For one's own the current password is needed, so that an
 * unlocked screen is not enough, and attempts are limited; an admin who sets someone else's needs none, and ends that
 * person's tokens too, because whoever had the account may have made some.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { hashPassword, passwordProblem, verifyPassword } from "@/lib/people/rules/password";
import { KimitsuError } from "@/lib/errors";
import { SIGN_IN_ATTEMPTS_PER_BROWSER, SIGN_IN_WINDOW_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { getPerson } from "@/lib/people/queries/get-person";
import { findPasswordHash } from "@/lib/people/queries/find-password-hash";
import { clearThrottle, takeThrottle } from "@/lib/database/take-throttle";
import { setUserPasswordRow } from "@/lib/people/transitions/set-user-password";

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
    await refuseGuesses(deps, change.userId);
    const stored = await findPasswordHash(deps.db, change.userId);
    if (stored !== null && !(await verifyPassword(change.currentPassword ?? "", stored))) {
      const message = "The current password is not right; nothing was changed.";
      throw new KimitsuError("invalid_request", message, { issues: [{ path: "currentPassword", message }] });
    }
    await clearThrottle(deps.db, keyOf(change.userId));
  }
  const row = {
    userId: change.userId,
    passwordHash: await hashPassword(change.password),
    endsTokens: actor.id !== change.userId,
  };
  await setUserPasswordRow(deps.db, row, { actor, at: deps.now() });
}

const keyOf = (userId: string) => `password:${userId}`;

async function refuseGuesses({ db, now }: EngineDeps, userId: string): Promise<void> {
  const taken = await takeThrottle(
    db,
    { key: keyOf(userId), max: SIGN_IN_ATTEMPTS_PER_BROWSER, windowMs: SIGN_IN_WINDOW_MS },
    now(),
  );
  if (taken.allowed) return;
  const retryAfterS = Math.ceil((taken.until.getTime() - now().getTime()) / 1000);
  throw new KimitsuError(
    "rate_limited",
    `The current password was wrong too often; try again in ${Math.ceil(retryAfterS / 60)} minutes. Nothing was changed.`,
    { retryAfterS },
  );
}

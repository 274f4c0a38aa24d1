/**
 * Checks an e-mail and a password. Attempts are counted before they are tried, per account and per address; a success forgets
 * them. Unknown e-mail and wrong password take the same time and give the same answer.
 */
import { SIGN_IN_ATTEMPTS_PER_ACCOUNT, SIGN_IN_ATTEMPTS_PER_ADDRESS, SIGN_IN_WINDOW_MS } from "@/lib/domain/limits";
import { verifyPassword } from "@/lib/domain/password";
import type { EngineDeps } from "@/lib/engine/deps";
import { findCredentials } from "@/lib/store/queries/find-credentials";
import { recordSignInRow } from "@/lib/store/transitions/record-sign-in";
import { clearThrottle, giveBackThrottle, takeThrottle } from "@/lib/store/transitions/take-throttle";

export type PasswordAnswer =
  | { userId: string; sessionVersion: number }
  | { refused: "credentials" | "disabled" }
  | { refused: "rate_limited"; retryAfterS: number };

export async function signInWithPassword(deps: EngineDeps, given: { email: string; password: string; address: string }): Promise<PasswordAnswer> {
  const email = given.email.trim().toLowerCase();
  const account = { key: `sign-in:account:${email.slice(0, 254)}`, max: SIGN_IN_ATTEMPTS_PER_ACCOUNT, windowMs: SIGN_IN_WINDOW_MS };
  const address = { key: `sign-in:address:${given.address}`, max: SIGN_IN_ATTEMPTS_PER_ADDRESS, windowMs: SIGN_IN_WINDOW_MS };
  for (const limit of [address, account]) {
    const taken = await takeThrottle(deps.db, limit, deps.now());
    if (!taken.allowed) return { refused: "rate_limited", retryAfterS: Math.ceil((taken.until.getTime() - deps.now().getTime()) / 1000) };
  }
  const user = await findCredentials(deps.db, email);
  if (!(await verifyPassword(given.password, user?.passwordHash ?? null)) || !user) return { refused: "credentials" };
  await clearThrottle(deps.db, account.key);
  await giveBackThrottle(deps.db, address.key);
  // Only someone who knows the password learns that the account is shut.
  if (user.disabled) return { refused: "disabled" };
  const actor = { kind: "user" as const, id: user.id, name: user.name, address: given.address };
  await recordSignInRow(deps.db, { userId: user.id, provider: "password" }, actor, deps.now());
  return { userId: user.id, sessionVersion: user.sessionVersion };
}

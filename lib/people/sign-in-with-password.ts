/**
 * Checks an e-mail and a password. Attempts are counted before the password is checked: per network, per account and
 * network, and per account; in a browser in which the person has signed in before, per browser alone. A success resets
 * the counts. Unknown e-mail and wrong password take the same time and give the same answer.
 */
import {
  SIGN_IN_ATTEMPTS_PER_ACCOUNT,
  SIGN_IN_ATTEMPTS_PER_ADDRESS,
  SIGN_IN_ATTEMPTS_PER_BROWSER,
  SIGN_IN_ATTEMPTS_PER_PAIR,
  SIGN_IN_WINDOW_MS,
} from "@/lib/limits";
import { networkOf } from "@/lib/people/rules/network-of";
import { verifyPassword } from "@/lib/people/rules/password";
import type { EngineDeps } from "@/lib/database/deps";
import { findCredentials } from "@/lib/people/queries/find-credentials";
import { throttleKey } from "@/lib/database/throttle-key";
import { recordSignInRow } from "@/lib/people/transitions/record-sign-in";
import { clearThrottle, giveBackThrottle, takeThrottle, type ThrottleLimit } from "@/lib/database/take-throttle";

export type PasswordAnswer =
  | { userId: string; sessionVersion: number }
  | { refused: "credentials" | "disabled" }
  | { refused: "rate_limited"; retryAfterS: number };

interface PasswordSignIn {
  email: string;
  password: string;
  address: string;
  /** A browser in which someone has signed in before. */
  browser?: { id: string; userId: string } | null;
}

export async function signInWithPassword(deps: EngineDeps, given: PasswordSignIn): Promise<PasswordAnswer> {
  const email = given.email.trim().toLowerCase();
  const user = await findCredentials(deps.db, email);
  const limits = limitsOf(given, email, user?.id);
  for (const limit of limits) {
    const taken = await takeThrottle(deps.db, limit, deps.now());
    if (!taken.allowed)
      return { refused: "rate_limited", retryAfterS: Math.ceil((taken.until.getTime() - deps.now().getTime()) / 1000) };
  }
  if (!(await verifyPassword(given.password, user?.passwordHash ?? null)) || !user) return { refused: "credentials" };
  for (const { key, isShared } of limits)
    await (isShared ? giveBackThrottle(deps.db, key) : clearThrottle(deps.db, key));
  // Only someone who knows the password learns that the account is disabled.
  if (user.disabled) return { refused: "disabled" };
  const actor = { kind: "user" as const, id: user.id, name: user.name, address: given.address };
  await recordSignInRow(deps.db, { userId: user.id, provider: "password" }, actor, deps.now());
  return { userId: user.id, sessionVersion: user.sessionVersion };
}

/** A shared limit counts other accounts too, so a success subtracts only its own attempt. */
type SignInLimit = ThrottleLimit & { isShared?: true };

function limitsOf({ address, browser }: PasswordSignIn, email: string, userId: string | undefined): SignInLimit[] {
  const windowMs = SIGN_IN_WINDOW_MS;
  if (browser && browser.userId === userId)
    return [{ key: `sign-in:browser:${browser.id}`, max: SIGN_IN_ATTEMPTS_PER_BROWSER, windowMs }];
  const network = networkOf(address);
  return [
    { key: `sign-in:address:${network}`, max: SIGN_IN_ATTEMPTS_PER_ADDRESS, windowMs, isShared: true },
    { key: throttleKey("sign-in:pair", `${network} ${email}`), max: SIGN_IN_ATTEMPTS_PER_PAIR, windowMs },
    { key: throttleKey("sign-in:account", email), max: SIGN_IN_ATTEMPTS_PER_ACCOUNT, windowMs },
  ];
}

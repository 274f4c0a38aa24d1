/**
 * Makes the first admin when there is none, once, even when several processes start at the same time. Later starts
 * change nothing.
 */
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { generatePassword, hashPassword, passwordProblem } from "@/lib/people/rules/password";
import { KimitsuError } from "@/lib/errors";
import { emailSchema } from "@/lib/people/create-user";
import type { EngineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { createId } from "@/lib/ids";
import { hasAdmin } from "@/lib/people/queries/has-admin";
import { createUserRow } from "@/lib/people/transitions/create-user";

export type FirstAdmin = { created: false } | { created: true; email: string; password: string; generated: boolean };

export async function createFirstAdmin(
  deps: EngineDeps,
  wanted: { email: string; password?: string },
): Promise<FirstAdmin> {
  if (await hasAdmin(deps.db)) return { created: false };
  const email = parseInput(emailSchema, wanted.email);
  const problem = wanted.password === undefined ? null : passwordProblem(wanted.password, email);
  if (problem) throw new KimitsuError("invalid_request", `KIMITSU_ADMIN_PASSWORD cannot be used. ${problem}`);
  const password = wanted.password ?? generatePassword();
  const user = {
    id: createId("user"),
    email,
    name: "Admin",
    role: "admin" as const,
    passwordHash: await hashPassword(password),
    onlyIfNoAdmin: true,
  };
  const made = await createUserRow(deps.db, user, OPERATOR_ACTOR, deps.now());
  if (made) return { created: true, email, password, generated: wanted.password === undefined };
  if (await hasAdmin(deps.db)) return { created: false };
  throw new KimitsuError(
    "conflict",
    `There is no admin, and ${email} is the address of somebody who is none. Set KIMITSU_ADMIN_EMAIL to another one.`,
  );
}

/**
 * Adds a person. Without a password a generated one is returned once; a taken e-mail is a conflict and changes nothing.
 */
import { z } from "zod";
import type { Actor } from "@/lib/people/rules/actor";
import { generatePassword, hashPassword, passwordProblem } from "@/lib/people/rules/password";
import { ROLES } from "@/lib/people/rules/roles";
import { hasInvisible } from "@/lib/text/tool-text";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { createId } from "@/lib/ids";
import { createUserRow } from "@/lib/people/transitions/create-user";

/** Invisible characters must not make two names look alike, because names are shown beside decisions. */
const isVisible = (text: string) => !hasInvisible(text);
const INVISIBLE = "holds characters that cannot be seen; type it again by hand";

export const personNameSchema = z.string().trim().min(1, "is missing").max(120).refine(isVisible, INVISIBLE);

export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, "is not an e-mail address")
  .refine(isVisible, INVISIBLE);

export const createUserSchema = z.strictObject({
  email: emailSchema,
  name: personNameSchema,
  role: z.enum(ROLES, `is no role; roles are ${ROLES.join(", ")}`),
  password: z.string().optional(),
});

export interface CreatedUser {
  id: string;
  email: string;
  /** Only when it was generated. */
  password?: string;
}

export async function createUser(
  deps: EngineDeps,
  actor: Actor,
  input: z.input<typeof createUserSchema>,
): Promise<CreatedUser> {
  const { email, name, role, password } = parseInput(createUserSchema, input);
  const problem = password === undefined ? null : passwordProblem(password, email);
  if (problem) throw new KimitsuError("invalid_request", problem, { issues: [{ path: "password", message: problem }] });
  const generated = password === undefined ? generatePassword() : undefined;
  const passwordHash = await hashPassword(password ?? generated ?? "");
  const created = await createUserRow(
    deps.db,
    { id: createId("user"), email, name, role, passwordHash },
    actor,
    deps.now(),
  );
  if (!created) {
    const message = `${email} already has an account; nothing was changed.`;
    throw new KimitsuError("conflict", message, { issues: [{ path: "email", message }] });
  }
  return { id: created.id, email, password: generated };
}

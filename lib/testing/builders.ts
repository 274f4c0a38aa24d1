import { randomBytes } from "node:crypto";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { hashPassword } from "@/lib/people/rules/password";
import type { Role } from "@/lib/people/rules/roles";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import { createUserRow } from "@/lib/people/transitions/create-user";

export const TEST_PASSWORD = "paper lantern 42 river";

/** Hashing is slow on purpose; all people of a test run share one password and so one hash. */
let hash: Promise<string> | undefined;

/** A person for one test, with a unique name. */
export async function buildUser(deps: EngineDeps, role: Role, facts: { email?: string; name?: string } = {}) {
  const id = createId("user");
  const email = facts.email ?? `${role}-${randomBytes(4).toString("hex")}@example.org`;
  const name = facts.name ?? `Test ${role}`;
  const passwordHash = await (hash ??= hashPassword(TEST_PASSWORD));
  await createUserRow(deps.db, { id, email, name, role, passwordHash }, OPERATOR_ACTOR, deps.now());
  return { id, email, name, role, actor: { kind: "user" as const, id, name } };
}

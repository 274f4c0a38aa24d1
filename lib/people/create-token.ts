/**
 * Makes an API token for a person, shown once. It can never do more than that person may, and a scope that the person's
 * role lacks is refused here rather than ignored later. A token for an MCP client is bound to a profile of the project.
 */
import { z } from "zod";
import type { Project } from "@/lib/config/project";
import type { Actor } from "@/lib/people/rules/actor";
import { generateToken, hashToken, tokenHint } from "@/lib/people/rules/api-token";
import { listGrantIssues } from "@/lib/people/rules/client-token";
import { roleAllows, SCOPES } from "@/lib/people/rules/roles";
import { KimitsuError } from "@/lib/errors";
import type { EngineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { createId } from "@/lib/ids";
import { getPerson } from "@/lib/people/queries/get-person";
import { createTokenRow } from "@/lib/people/transitions/create-token";

export const createTokenSchema = z.strictObject({
  name: z.string().trim().min(1, "is missing").max(80),
  userId: z.string(),
  scopes: z
    .array(
      z.enum(SCOPES, {
        error: ({ input }) => `${JSON.stringify(input)} is not a scope; scopes are ${SCOPES.join(", ")}`,
      }),
    )
    .min(1, "needs at least one scope"),
  profile: z.string().nullable().default(null),
  expiresAt: z.date().nullable().default(null),
});

/** The project is needed for the scope `mcp` only; null in a process that could not open it. */
export type TokenDeps = EngineDeps & { project?: Pick<Project, "profiles"> | null };

export async function createToken(
  deps: TokenDeps,
  actor: Actor,
  input: z.input<typeof createTokenSchema>,
): Promise<{ id: string; token: string }> {
  const { name, userId, scopes, profile, expiresAt } = parseInput(createTokenSchema, input);
  const person = await getPerson(deps.db, userId);
  const beyond = scopes.filter((scope) => !roleAllows(person.role, scope));
  if (beyond.length > 0) {
    const message = `${person.email} is ${person.role} and may not be given ${beyond.join(", ")}.`;
    throw new KimitsuError("invalid_request", message, { issues: [{ path: "scopes", message }] });
  }
  const issues = listGrantIssues({ scopes, profile }, deps.project ? Object.keys(deps.project.profiles) : null);
  if (issues.length > 0) {
    const text = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
    throw new KimitsuError("invalid_request", text, { issues });
  }
  if (expiresAt && expiresAt <= deps.now()) {
    throw new KimitsuError("invalid_request", "The expiry lies in the past.", {
      issues: [{ path: "expiresAt", message: "lies in the past" }],
    });
  }
  const token = generateToken();
  const row = {
    id: createId("token"),
    name,
    userId,
    // At the command line the creator is whoever has access to the database; the token is then that person's own.
    createdById: actor.kind === "user" ? actor.id : userId,
    hash: hashToken(token),
    hint: tokenHint(token),
    scopes: [...new Set(scopes)],
    profile,
    expiresAt,
  };
  await createTokenRow(deps.db, row, actor, deps.now());
  return { id: row.id, token };
}

/** Tokens of MCP clients: bound to a profile when they are made, and on the trail with it. */
import { expect, test } from "vitest";
import type { Project } from "@/lib/config/project";
import { verifies } from "@/e2e/requirements";
import { listEvents } from "@/lib/audit/queries/list-events";
import { createToken } from "@/lib/people/create-token";
import { findToken } from "@/lib/people/queries/find-token";
import { listTokens } from "@/lib/people/queries/list-tokens";
import { revokeToken } from "@/lib/people/revoke-token";
import { hashToken } from "@/lib/people/rules/api-token";
import { setPassword } from "@/lib/people/set-password";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
/** Only the names matter here. */
const project = { profiles: { coding: {} } } as unknown as Pick<Project, "profiles">;
const deps = () => ({ db: database.db, now: () => new Date(), project });

async function makeToken(facts: { role?: "reviewer" | "operator" | "admin" } = {}) {
  const person = await buildUser(deps(), facts.role ?? "operator");
  const wanted = { name: "laptop", userId: person.id, scopes: ["mcp" as const], profile: "coding" };
  return { person, wanted, ...(await createToken(deps(), person.actor, wanted)) };
}
const dataOf = async (type: string, actor: string) =>
  (await listEvents(database.db, { type, actor })).items.map(({ data }) => data);

test(verifies("tokens:profile", "a token keeps its profile, and lists show it"), async () => {
  const { id, token, person } = await makeToken();
  expect(await findToken(database.db, hashToken(token))).toMatchObject({ id, scopes: ["mcp"], profile: "coding" });
  const { items } = await listTokens(database.db, { userId: person.id });
  expect(items).toEqual([expect.objectContaining({ id, profile: "coding" })]);
});

test(
  verifies("tokens:profile", "nothing is made for an unknown profile, other scopes beside mcp, or no project"),
  async () => {
    const person = await buildUser(deps(), "operator");
    const make = (facts: object, project: Parameters<typeof createToken>[0]["project"] = deps().project) =>
      createToken({ ...deps(), project }, person.actor, { name: "x", userId: person.id, scopes: ["mcp"], ...facts });
    await expect(make({ profile: "codng" })).rejects.toMatchObject({
      code: "invalid_request",
      issues: [{ path: "profile", message: 'there is no profile "codng"; profiles are coding' }],
    });
    await expect(make({ profile: "coding", scopes: ["mcp", "runs:read"] })).rejects.toMatchObject({
      issues: [{ path: "scopes" }],
    });
    await expect(make({ profile: "coding" }, null)).rejects.toMatchObject({ issues: [{ path: "profile" }] });
    expect((await listTokens(database.db, { userId: person.id })).items).toEqual([]);
  },
);

test("the role operator is needed", async () => {
  await expect(makeToken({ role: "reviewer" })).rejects.toThrow("may not be given mcp");
});

test(verifies("tokens:profile", "the database refuses other scopes on a token with a profile"), async () => {
  const { id, person } = await makeToken();
  const change = (data: object) => database.db.apiToken.update({ where: { id }, data });
  await expect(change({ scopes: ["mcp", "approvals:decide"] })).rejects.toThrow("api_tokens_profile_is_mcp_alone");
  await expect(change({ scopes: ["runs:read"] })).rejects.toThrow("api_tokens_profile_is_mcp_alone");
  // As tokens were before there were profiles.
  await database.db.apiToken.create({
    data: { id: "tok_old", name: "old", userId: person.id, hash: "old", hint: "x", scopes: ["mcp", "runs:read"] },
  });
  expect(await findToken(database.db, "old")).toMatchObject({ profile: null });
});

test(verifies("audit:written", "the trail names the profile of a token that is made or revoked"), async () => {
  const { id, person } = await makeToken();
  expect(await dataOf("token.created", person.id)).toEqual([
    expect.objectContaining({ token_id: id, profile: "coding" }),
  ]);
  await revokeToken(deps(), person.actor, { tokenId: id, ownerId: person.id });
  expect(await dataOf("token.revoked", person.id)).toEqual([{ token_id: id, profile: "coding" }]);
});

test(verifies("audit:written", "the trail names it too when a new password ends the token"), async () => {
  const [{ id, person }, admin] = [await makeToken(), await buildUser(deps(), "admin")];
  const plain = await createToken(deps(), person.actor, { name: "ci", userId: person.id, scopes: ["runs:read"] });
  await setPassword(deps(), admin.actor, { userId: person.id, password: "another lantern 43" });
  const revoked = await dataOf("token.revoked", admin.id);
  expect(revoked).toHaveLength(2);
  expect(revoked).toEqual(expect.arrayContaining([{ token_id: id, profile: "coding" }, { token_id: plain.id }]));
});

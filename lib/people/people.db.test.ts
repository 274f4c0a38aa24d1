import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { hashToken } from "@/lib/people/rules/api-token";
import { verifyPassword } from "@/lib/people/rules/password";
import { changeUserRole } from "@/lib/people/change-user-role";
import { createFirstAdmin } from "@/lib/people/create-first-admin";
import { createToken } from "@/lib/people/create-token";
import { createUser } from "@/lib/people/create-user";
import { createGroup, setGroupMembers } from "@/lib/people/groups";
import { renameUser } from "@/lib/people/rename-user";
import { revokeToken } from "@/lib/people/revoke-token";
import { setPassword } from "@/lib/people/set-password";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { findPasswordHash } from "@/lib/people/queries/find-password-hash";
import { getPerson } from "@/lib/people/queries/get-person";
import { listEvents } from "@/lib/audit/queries/list-events";
import { listGroups } from "@/lib/people/queries/list-groups";
import { buildUser, TEST_PASSWORD } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";

const database = useDatabase();
const deps = () => testDeps(database);
const eventsOf = async (type: string) => (await listEvents(database.db, { type })).items;

test("the first admin is made although others were added before, and never from an account that is not an admin", async () => {
  await createUser(deps(), OPERATOR_ACTOR, {
    email: "early@localhost",
    name: "Early",
    role: "reviewer",
    password: TEST_PASSWORD,
  });
  await expect(createFirstAdmin(deps(), { email: "early@localhost" })).rejects.toThrow(
    "There is no admin, and early@localhost is the address of somebody who is none",
  );
  expect(await database.db.user.findUniqueOrThrow({ where: { email: "early@localhost" } })).toMatchObject({
    role: "reviewer",
  });
});

test(
  verifies("people:first-admin", "the first admin is made once, even when several processes start at the same time"),
  async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () => createFirstAdmin(deps(), { email: "Admin@Localhost" })),
    );
    expect(made.filter((result) => result.created)).toHaveLength(1);
    expect(await createFirstAdmin(deps(), { email: "other@localhost" })).toEqual({ created: false });
    const admin = made.find((result) => result.created);
    if (!admin?.created) throw new Error("unreachable");
    const person = await database.db.user.findUniqueOrThrow({ where: { email: "admin@localhost" } });
    expect(await verifyPassword(admin.password, person.passwordHash)).toBe(true);
  },
);

test(
  verifies("audit:written", "a person is added with an event that names who did it, and without the password"),
  async () => {
    const admin = await buildUser(deps(), "admin", { name: "Ana" });
    const { id } = await createUser(deps(), admin.actor, {
      email: " Bo@Example.org ",
      name: "Bo",
      role: "viewer",
      password: TEST_PASSWORD,
    });
    expect(await getPerson(database.db, id)).toMatchObject({
      email: "bo@example.org",
      role: "viewer",
      disabled: false,
    });
    const event = (await eventsOf("user.created")).find((candidate) => JSON.stringify(candidate.body).includes(id));
    expect(event?.actor).toEqual({ kind: "user", id: admin.id, name: "Ana" });
    expect(JSON.stringify(event)).not.toContain(TEST_PASSWORD);
  },
);

test(verifies("people:add:problems", "a taken e-mail is a conflict and writes neither person nor event"), async () => {
  const user = await buildUser(deps(), "viewer");
  const before = (await eventsOf("user.created")).length;
  await expect(
    createUser(deps(), OPERATOR_ACTOR, { email: user.email.toUpperCase(), name: "x", role: "admin" }),
  ).rejects.toMatchObject({ code: "conflict" });
  expect((await eventsOf("user.created")).length).toBe(before);
});

test.each(["An\u200Ba", "Ana\u202Enimda", "A\u00ADna", "Ana\u{E0041}"])(
  verifies("people:add:problems", "a name that invisible characters could make look like another's is refused: %j"),
  async (name) => {
    const user = await buildUser(deps(), "reviewer");
    await expect(renameUser(deps(), user.actor, { userId: user.id, name })).rejects.toMatchObject({
      code: "invalid_request",
      issues: [{ path: "name" }],
    });
    await expect(
      createUser(deps(), OPERATOR_ACTOR, { email: `${name}@example.org`, name, role: "viewer" }),
    ).rejects.toMatchObject({ issues: [{ path: "email" }, { path: "name" }] });
  },
);

test(verifies("people:add:problems", "all problems of a new person are reported at once"), async () => {
  const bad = { email: "nobody", name: " ", role: "king" as "admin" };
  await expect(createUser(deps(), OPERATOR_ACTOR, bad)).rejects.toMatchObject({
    code: "invalid_request",
    issues: [{ path: "email" }, { path: "name" }, { path: "role" }],
  });
});

test(verifies("people:last-admin", "two admins who demote each other at the same instant leave one"), async () => {
  await database.db.user.updateMany({ where: { role: "admin" }, data: { role: "viewer" } });
  for (let round = 0; round < 10; round++) {
    const [a, b] = [await buildUser(deps(), "admin"), await buildUser(deps(), "admin")];
    const results = await Promise.allSettled([
      changeUserRole(deps(), a.actor, { userId: b.id, role: "viewer" }),
      changeUserRole(deps(), b.actor, { userId: a.id, role: "viewer" }),
    ]);
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await database.db.user.count({ where: { role: "admin" } })).toBe(1);
    await database.db.user.updateMany({ where: { role: "admin" }, data: { role: "viewer" } });
  }
});

test(verifies("people:last-admin", "the last admin can be neither demoted nor disabled"), async () => {
  await database.db.user.updateMany({ where: { role: "admin" }, data: { role: "viewer" } });
  const last = await buildUser(deps(), "admin");
  await expect(changeUserRole(deps(), last.actor, { userId: last.id, role: "viewer" })).rejects.toThrow(
    "only admin left",
  );
  await expect(setUserDisabled(deps(), last.actor, { userId: last.id, disabled: true })).rejects.toThrow(
    "only admin left",
  );
  expect(await getPerson(database.db, last.id)).toMatchObject({ role: "admin", disabled: false });
});

test(
  verifies(
    "session:disabled",
    verifies(
      "session:password-change",
      "disabling an account and setting a new password both end the earlier sessions",
    ),
  ),
  async () => {
    const admin = await buildUser(deps(), "admin");
    const user = await buildUser(deps(), "viewer");
    const version = async () => (await database.db.user.findUniqueOrThrow({ where: { id: user.id } })).sessionVersion;
    await setUserDisabled(deps(), admin.actor, { userId: user.id, disabled: true });
    expect(await version()).toBe(1);
    await setUserDisabled(deps(), admin.actor, { userId: user.id, disabled: false });
    await setPassword(deps(), admin.actor, { userId: user.id, password: "another lantern 43" });
    expect(await version()).toBe(2);
  },
);

test(verifies("people:own-password", "one's own password needs the current one"), async () => {
  const user = await buildUser(deps(), "viewer");
  const change = { userId: user.id, password: "another lantern 43" };
  await expect(setPassword(deps(), user.actor, { ...change, currentPassword: "wrong" })).rejects.toMatchObject({
    issues: [{ path: "currentPassword" }],
  });
  await setPassword(deps(), user.actor, { ...change, currentPassword: TEST_PASSWORD });
  expect(await verifyPassword("another lantern 43", await findPasswordHash(database.db, user.id))).toBe(true);
});

test(verifies("tokens:once", "a token is stored as a hash, and limited to what its person may do"), async () => {
  const reviewer = await buildUser(deps(), "reviewer");
  const { id, token } = await createToken(deps(), reviewer.actor, {
    name: "bot",
    userId: reviewer.id,
    scopes: ["approvals:decide"],
  });
  const row = await database.db.apiToken.findUniqueOrThrow({ where: { id } });
  expect(row).toMatchObject({ hash: hashToken(token), hint: token.slice(-4), createdById: reviewer.id });
  expect(JSON.stringify(row)).not.toContain(token);
  await expect(
    createToken(deps(), reviewer.actor, { name: "bot", userId: reviewer.id, scopes: ["runs:write", "admin"] }),
  ).rejects.toThrow("may not be given runs:write, admin");
});

test(
  verifies("tokens:deciding", "the database refuses a deciding token that no person created, and unknown scopes"),
  async () => {
    const user = await buildUser(deps(), "reviewer");
    const row = { id: "tok_x", name: "x", userId: user.id, hash: "h", hint: "x" };
    await expect(database.db.apiToken.create({ data: { ...row, scopes: ["approvals:decide"] } })).rejects.toThrow(
      "api_tokens_decide_has_creator",
    );
    await expect(database.db.apiToken.create({ data: { ...row, scopes: ["everything"] } })).rejects.toThrow(
      "api_tokens_scopes_known",
    );
  },
);

test(verifies("tokens:revoke", "a token is revoked once, and only by its person or an admin"), async () => {
  const user = await buildUser(deps(), "viewer");
  const { id } = await createToken(deps(), user.actor, { name: "bot", userId: user.id, scopes: ["runs:read"] });
  await expect(revokeToken(deps(), user.actor, { tokenId: id, ownerId: "usr_else" })).rejects.toMatchObject({
    code: "not_found",
  });
  await revokeToken(deps(), user.actor, { tokenId: id, ownerId: user.id });
  await expect(revokeToken(deps(), user.actor, { tokenId: id, ownerId: user.id })).rejects.toMatchObject({
    code: "not_found",
  });
});

test(verifies("groups:members", "a group has exactly the members it was given"), async () => {
  const [a, b] = [await buildUser(deps(), "reviewer"), await buildUser(deps(), "reviewer")];
  const group = await createGroup(deps(), OPERATOR_ACTOR, { name: "finance" });
  await setGroupMembers({ ...deps(), project: null }, OPERATOR_ACTOR, {
    groupId: group.id,
    userIds: [a.id, b.id, "usr_nobody"],
  });
  await setGroupMembers({ ...deps(), project: null }, OPERATOR_ACTOR, { groupId: group.id, userIds: [b.id] });
  expect(
    (await listGroups(database.db)).find((candidate) => candidate.id === group.id)?.members.map((member) => member.id),
  ).toEqual([b.id]);
  await expect(createGroup(deps(), OPERATOR_ACTOR, { name: "finance" })).rejects.toMatchObject({ code: "conflict" });
  await expect(createGroup(deps(), OPERATOR_ACTOR, { name: "admin" })).rejects.toThrow("name of a role");
});

test(verifies("audit:written", "everything above is on a trail that verifies"), async () => {
  expect(await verifyAudit(deps())).toMatchObject({ ok: true });
});

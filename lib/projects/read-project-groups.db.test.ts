import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { createUser } from "@/lib/people/create-user";
import { changeGroup, deleteGroup, setGroupMembers } from "@/lib/people/groups";
import { readProjectGroups } from "@/lib/projects/read-project-groups";
import type { Runtime } from "@/lib/runs/runtime";
import { listGroups } from "@/lib/people/queries/list-groups";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { oneAgentProject, openRunBench } from "@/lib/testing/run-bench";

const database = useDatabase();

/** A process that starts with this policy. */
async function startWith(policy: string) {
  const { deps } = await openRunBench(database, {
    ...oneAgentProject({
      url: "http://127.0.0.1:9/mcp",
      allowlist: '- "*"',
      script: "agents: { worker: { otherwise: { output: {} } } }\n",
    }),
    "policy.yaml": policy,
  });
  await readProjectGroups(deps);
  return deps;
}
/** What the console passes when an admin changes groups. */
const hand = (deps: Runtime) => ({ db: deps.db, now: deps.now, project: deps.projects.current().project });
const membersOf = async (name: string) =>
  (await listGroups(database.db))
    .find((group) => group.name === name)
    ?.members.map(({ email, fromProject }) => [email, fromProject]);

test(
  verifies(
    "groups:project",
    "people named by policy.yaml are members, at once or once they have an account, until it no longer names them",
  ),
  async () => {
    await buildUser({ db: database.db, now: () => new Date() }, "reviewer", { email: "ana@example.org", name: "Ana" });
    const deps = await startWith(
      "groups: { leads: { description: Leads, members: [Ana@example.org, bo@example.org] }, desk: {} }\n",
    );
    expect(await listGroups(database.db)).toMatchObject([
      { name: "desk", members: [] },
      {
        name: "leads",
        description: "Leads",
        members: [{ email: "ana@example.org", fromProject: true }],
        withoutAccount: ["bo@example.org"],
      },
    ]);

    await createUser(deps, OPERATOR_ACTOR, { email: "bo@example.org", name: "Bo", role: "reviewer" });
    expect(await membersOf("leads")).toEqual([
      ["ana@example.org", true],
      ["bo@example.org", true],
    ]);

    const cy = await buildUser(deps, "reviewer", { email: "cy@example.org", name: "Cy" });
    const leads = (await listGroups(database.db)).find(({ name }) => name === "leads")!;
    // The console adds to what the project says, and cannot take that away.
    await setGroupMembers(hand(deps), OPERATOR_ACTOR, {
      groupId: leads.id,
      userIds: [...leads.members.map(({ id }) => id), cy.id],
    });
    expect(await membersOf("leads")).toEqual([
      ["ana@example.org", true],
      ["bo@example.org", true],
      ["cy@example.org", false],
    ]);

    await startWith("groups: { leads: { members: [bo@example.org, cy@example.org] } }\n");
    expect(await membersOf("leads")).toEqual([
      ["bo@example.org", true],
      ["cy@example.org", false],
    ]);
    await startWith("groups: {}\n");
    expect(await membersOf("leads")).toEqual([["cy@example.org", false]]);
    await createUser(deps, OPERATOR_ACTOR, { email: "di@example.org", name: "Di", role: "reviewer" });
    expect(await membersOf("leads")).toEqual([["cy@example.org", false]]);
  },
);

test(verifies("groups:project", "is on the trail when it changes something, and only then"), async () => {
  const events = () => database.db.event.count({ where: { type: "group.project_read" } });
  const policy = "groups: { watch: { members: [ana@example.org] } }\n";
  await startWith(policy);
  const before = await events();
  await startWith(policy);
  expect(await events()).toBe(before);
  await startWith("groups: { watch: {} }\n");
  expect(await events()).toBe(before + 1);
});

describe(verifies("groups:project:kept", "what policy.yaml says of a group cannot be undone by hand"), () => {
  const POLICY = "groups:\n  night:\n    members:\n      - eve@example.org\n      - Flo@example.org\n  idle: {}\n";

  async function night() {
    for (const email of ["eve@example.org", "flo@example.org"])
      await buildUser({ db: database.db, now: () => new Date() }, "reviewer", { email, name: email.slice(0, 3) }).catch(
        () => undefined,
      );
    const deps = hand(await startWith(POLICY));
    const guest = await buildUser(deps, "reviewer");
    const group = (await listGroups(database.db)).find(({ name }) => name === "night")!;
    const [eve, flo] = ["eve@example.org", "flo@example.org"].map(
      (email) => group.members.find((member) => member.email === email)!.id,
    ) as [string, string];
    await setGroupMembers(deps, OPERATOR_ACTOR, { groupId: group.id, userIds: [eve, flo, guest.id] });
    return { deps, group, eve, flo, guest };
  }
  const trail = () => database.db.event.count({ where: { type: { startsWith: "group." } } });

  test("removing a person that it names is refused with file and line, and nothing of the change is done", async () => {
    const { deps, group, eve, flo, guest } = await night();
    const before = { members: await membersOf("night"), events: await trail() };
    await expect(setGroupMembers(deps, OPERATOR_ACTOR, { groupId: group.id, userIds: [eve] })).rejects.toMatchObject({
      code: "conflict",
      message:
        "flo (flo@example.org) is a member of night because policy.yaml:5 says so; take them out there. Nothing was changed.",
    });
    expect({ members: await membersOf("night"), events: await trail() }).toEqual(before);
    await expect(setGroupMembers(deps, OPERATOR_ACTOR, { groupId: group.id, userIds: [] })).rejects.toThrow(
      /eve \(eve@example.org\).*policy.yaml:4.*flo.*policy.yaml:5/s,
    );
    await setGroupMembers(deps, OPERATOR_ACTOR, { groupId: group.id, userIds: [eve, flo] });
    expect(await membersOf("night")).not.toContainEqual([guest.email, false]);
  });

  test("a person added by an admin before it named them is kept by it too", async () => {
    const { deps, group, eve, flo, guest } = await night();
    const later = hand(
      await startWith(`groups:\n  night: { members: [eve@example.org, flo@example.org, ${guest.email}] }\n`),
    );
    await expect(setGroupMembers(later, OPERATOR_ACTOR, { groupId: group.id, userIds: [eve, flo] })).rejects.toThrow(
      `${guest.email}) is a member of night because policy.yaml:2 says so`,
    );
    await startWith(POLICY);
    await setGroupMembers(deps, OPERATOR_ACTOR, { groupId: group.id, userIds: [eve, flo] });
  });

  test("a group that it names is neither renamed nor deleted, which would take its members out as well", async () => {
    const { deps, group } = await night();
    const before = { members: await membersOf("night"), events: await trail() };
    const refused = { code: "conflict", message: expect.stringContaining("policy.yaml:2") };
    await expect(changeGroup(deps, OPERATOR_ACTOR, group.id, { name: "day" })).rejects.toMatchObject(refused);
    await expect(deleteGroup(deps, OPERATOR_ACTOR, group.id)).rejects.toMatchObject(refused);
    expect({ members: await membersOf("night"), events: await trail() }).toEqual(before);
    const idle = (await listGroups(database.db)).find(({ name }) => name === "idle")!;
    await expect(deleteGroup(deps, OPERATOR_ACTOR, idle.id)).rejects.toMatchObject({
      message: expect.stringContaining("policy.yaml:6"),
    });
  });
});

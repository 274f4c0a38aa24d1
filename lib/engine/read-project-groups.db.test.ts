import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { OPERATOR_ACTOR } from "@/lib/domain/actor";
import { createUser } from "@/lib/engine/create-user";
import { setGroupMembers } from "@/lib/engine/groups";
import { readProjectGroups } from "@/lib/engine/read-project-groups";
import { listGroups } from "@/lib/store/queries/list-groups";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { oneAgentProject, openRunBench } from "@/lib/testing/run-bench";

const database = useDatabase();

/** A process that starts with this policy. */
async function startWith(policy: string) {
  const { deps } = await openRunBench(database, { ...oneAgentProject({ url: "http://127.0.0.1:9/mcp", allowlist: '- "*"', script: "agents: { worker: { otherwise: { output: {} } } }\n" }), "policy.yaml": policy });
  await readProjectGroups(deps);
  return deps;
}
const membersOf = async (name: string) => (await listGroups(database.db)).find((group) => group.name === name)?.members.map(({ email, fromProject }) => [email, fromProject]);

test(verifies("groups:project", "whom policy.yaml names is a member, at once or with their account, and no longer when it names them no more"), async () => {
  await buildUser({ db: database.db, now: () => new Date() }, "reviewer", { email: "ana@example.org", name: "Ana" });
  const deps = await startWith("groups: { leads: { description: Leads, members: [Ana@example.org, bo@example.org] }, desk: {} }\n");
  expect(await listGroups(database.db)).toMatchObject([{ name: "desk", members: [] }, { name: "leads", description: "Leads", members: [{ email: "ana@example.org", fromProject: true }], withoutAccount: ["bo@example.org"] }]);

  await createUser(deps, OPERATOR_ACTOR, { email: "bo@example.org", name: "Bo", role: "reviewer" });
  expect(await membersOf("leads")).toEqual([["ana@example.org", true], ["bo@example.org", true]]);

  const cy = await buildUser(deps, "reviewer", { email: "cy@example.org", name: "Cy" });
  const leads = (await listGroups(database.db)).find(({ name }) => name === "leads")!;
  // The console adds to what the project says, and cannot take that away.
  await setGroupMembers(deps, OPERATOR_ACTOR, { groupId: leads.id, userIds: [cy.id] });
  expect(await membersOf("leads")).toEqual([["ana@example.org", true], ["bo@example.org", true], ["cy@example.org", false]]);

  await startWith("groups: { leads: { members: [bo@example.org, cy@example.org] } }\n");
  expect(await membersOf("leads")).toEqual([["bo@example.org", true], ["cy@example.org", false]]);
  await startWith("groups: {}\n");
  expect(await membersOf("leads")).toEqual([["cy@example.org", false]]);
  await createUser(deps, OPERATOR_ACTOR, { email: "di@example.org", name: "Di", role: "reviewer" });
  expect(await membersOf("leads")).toEqual([["cy@example.org", false]]);
});

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

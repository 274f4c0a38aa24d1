/** What a profile stands for is no workflow that people see or start, and its runs are the client's to repeat. */
import { beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { POST as invoke } from "@/app/invoke/[workflow]/route";
import { GET as listServers } from "@/app/registry/servers/route";
import { POST as start } from "@/app/runs/route";
import { listAgents, listWorkflows } from "@/lib/config/list-definitions";
import { clientWorkflowName } from "@/lib/config/profile-parts";
import { createId } from "@/lib/ids";
import { matchKnownSecrets } from "@/lib/projects/known-secrets";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { cancelRun } from "@/lib/runs/cancel-run";
import { retryRun } from "@/lib/runs/retry-run";
import { keepProject } from "@/lib/runs/start-run";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { resolveAlone } from "@/lib/tools/registry/resolve-alone";

const database = useDatabase();
const KEY = "key-of-the-wiki-0123456789";
const WORKFLOW = clientWorkflowName("coding");

let bench: Awaited<ReturnType<typeof openApiBench>>;
beforeAll(async () => {
  bench = await openApiBench(database, {
    processEnv: { WIKI_KEY: KEY },
    files: {
      "servers/wiki.server.yaml":
        'name: wiki\nurl: "https://wiki.test/mcp"\nauth: { secret: "{{ params.key }}" }\nparams: { key: { secret: true } }\n',
      "profiles/coding.profile.yaml":
        'name: coding\nenv: [{ name: WIKI_KEY, secret: true }]\nservers: [{ name: wiki, path: servers/wiki.server.yaml, params: { key: "{{ env.WIKI_KEY }}" } }]\n',
    },
  });
});
const project = () => bench.deps.projects.current().project;

test(verifies("config:profiles", "neither list of workflows nor list of agents has what a profile stands for"), () => {
  expect(listWorkflows(project()).map(({ name }) => name)).toEqual(["main"]);
  expect(listAgents(project()).map(({ name }) => name)).toEqual(["worker"]);
  expect(Object.keys(project().workflows)).toContain(WORKFLOW);
});

test(
  verifies("config:profiles", "POST /runs and POST /invoke answer 404, as for a name that nothing has"),
  async () => {
    const { token } = await bench.login("operator");
    const bodies = { [WORKFLOW]: {}, none: {} };
    for (const name of Object.keys(bodies)) {
      const started = await ask(start, "/runs", { method: "POST", token, body: { workflow: name, params: {} } });
      const invoked = await ask(invoke, `/invoke/${name}`, { method: "POST", token, body: {} }, { workflow: name });
      expect([started.status, invoked.status], name).toEqual([404, 404]);
      expect(started.body.error.message).toBe(`There is no workflow ${name} that can be started.`);
    }
    expect(await database.db.run.count({ where: { workflow: WORKFLOW } })).toBe(0);
  },
);

test("a retry of a client's call is refused, because the client makes it again", async () => {
  const { user } = await bench.login("operator");
  await keepProject(bench.deps, project());
  const id = createId("run");
  const run = {
    id,
    workflow: WORKFLOW,
    version: "",
    configHash: project().hash,
    startedBy: user.actor,
    startedByUserId: user.id,
    starterIds: [user.id],
    retryOfRunId: null,
    sessionId: null,
    params: {},
    secrets: null,
    agents: [WORKFLOW],
    costBudgetUsd: null,
    steps: [{ id: createId("step"), key: "call", type: "agent" as const, agent: WORKFLOW }],
  };
  await writeNewRun(database.db, run, null, bench.deps.now());
  await cancelRun(bench.deps, user.actor, { runId: id });
  await expect(retryRun(bench.deps, user.actor, { runId: id })).rejects.toMatchObject({
    code: "conflict",
    message: `Run ${id} is a call of an MCP client; the client makes the call again itself. Nothing was started.`,
  });
});

test("the registry names profiles beside agents", async () => {
  const { token } = await bench.login("viewer");
  const { body } = await ask(listServers, "/registry/servers", { token });
  expect(body.items.map(({ name, agents, profiles }: Record<string, unknown>) => ({ name, agents, profiles }))).toEqual(
    [
      { name: "recorder", agents: ["worker"], profiles: [] },
      { name: "wiki", agents: [], profiles: ["coding"] },
    ],
  );
});

test("a server that only a profile uses can be asked without a run, and its secret is known", () => {
  const wiki = project().servers.wiki!;
  const { resolved, secrets } = resolveAlone(project(), wiki, { variables: { WIKI_KEY: KEY } });
  expect(resolved.auth?.header).toBe("Authorization");
  expect(resolved.auth?.value.reveal(secrets)).toBe(`Bearer ${KEY}`);
  expect(() => resolveAlone(project(), wiki, { variables: {} })).toThrow(
    "variables of profile coding without a value: WIKI_KEY",
  );
  expect(matchKnownSecrets(project(), { WIKI_KEY: KEY }).equals(KEY)).toBe(true);
});

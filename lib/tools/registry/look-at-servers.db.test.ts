import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SERVER_LOOK_INTERVAL_MS } from "@/lib/limits";
import { listRegistryServers, listRegistryTools } from "@/lib/tools/registry/list-registry";
import { lookAtServers } from "@/lib/tools/registry/look-at-servers";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, openEngineBench } from "@/lib/testing/engine-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();
const SCRIPT = "agents:\n  worker:\n    otherwise: { output: {} }\n";
const look = (bench: Awaited<ReturnType<typeof openEngineBench>>, isStart = false) =>
  lookAtServers(bench.deps, { isStart, signal: new AbortController().signal });
const open = (facts: Partial<BenchFacts> = {}) => openEngineBench(database, { script: SCRIPT, ...facts });
const healthOf = async (bench: Awaited<ReturnType<typeof open>>) =>
  (await listRegistryServers(bench.deps)).find(({ name }) => name === bench.serverName);
const lists = async (bench: Awaited<ReturnType<typeof open>>) =>
  (await bench.recorder.received()).filter(({ method }) => method === "tools/list").length;

test(
  verifies(
    "tools:looked-at",
    "health and tools are known of a server that no run has used, and what it announces is shown at once",
  ),
  async () => {
    const bench = await open();
    expect((await healthOf(bench))?.health).toBe("unknown");
    await look(bench, true);
    expect(await healthOf(bench)).toMatchObject({ health: "ok", lastError: null });
    expect(
      (await listRegistryTools(bench.deps, { server: bench.serverName })).find(({ tool }) => tool === "echo"),
    ).toMatchObject({ pin: "trusted_first_use" });
    bench.clock.advance(1000);
    await bench.recorder.change({ name: "echo", description: "Mails it out" });
    const changed = () =>
      listRegistryTools(bench.deps, { server: bench.serverName }).then((tools) =>
        tools.find(({ tool }) => tool === "echo"),
      );
    expect(
      await until(changed, { what: "the change", isDone: (tool) => tool?.description === "Mails it out" }),
    ).toMatchObject({ pin: "changed" });
  },
);

test("it is checked again after its refresh, at a start after a minute, and by one process of several", async () => {
  const bench = await open({ server: "refresh: 1h\n" });
  const other = await open({ server: "refresh: 1h\n", on: bench });
  await Promise.all([look(bench, true), look(other, true)]);
  const first = await lists(bench);
  expect(first).toBe(1);
  bench.clock.advance(SERVER_LOOK_INTERVAL_MS + 1000);
  await look(bench);
  expect(await lists(bench)).toBe(first);
  await look(bench, true);
  expect(await lists(bench)).toBe(first + 1);
  bench.clock.advance(3_600_000);
  await look(bench);
  expect(await lists(bench)).toBe(first + 2);
});

test("a server that does not answer is shown as unreachable, and as reachable again when it does", async () => {
  const bench = await open({
    files: { "servers/recorder.server.yaml": 'name: nowhere\nurl: "http://127.0.0.1:9/mcp"\n' },
  });
  await look(bench, true);
  expect((await listRegistryServers(bench.deps)).find(({ name }) => name === "nowhere")).toMatchObject({
    health: "unreachable",
    lastError: expect.stringContaining("nowhere"),
  });
});

test("a server whose params only a run can give is left to runs", async () => {
  const bench = await open({
    server: "params: { region: { description: Region } }\n",
    agent: "",
    files: {
      "agents/worker.agent.yaml":
        'name: worker\nmodel: standard\nparams: { schema: { type: object, required: [region], properties: { region: { type: string } } } }\nprompt: { system: "Work." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, params: { region: "{{ params.region }}" } }\n',
      "workflows/main.workflow.yaml":
        'kind: workflow\nname: main\nparams: { schema: { type: object, required: [region], properties: { region: { type: string } } } }\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml, params: { region: "{{ params.region }}" } }\n',
    },
  });
  await look(bench, true);
  expect(await bench.recorder.received()).toEqual([]);
});

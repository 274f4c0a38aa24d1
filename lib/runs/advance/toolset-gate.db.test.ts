/**
 * A toolset that is not loaded is closed on every path: a model that guesses the name of one of its tools gets an
 * answer, and nothing else happens.
 */
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { retryRun } from "@/lib/runs/retry-run";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, type EngineBench, openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const WRITES = "{ tool: mcp__recorder__t-none, arguments: { n: 1 }, unlisted: true }";
const READS = "{ tool: mcp__recorder__t-ro1-de0-id1-ow0, arguments: {}, unlisted: true }";
const LOAD = "{ tool: load_toolset, arguments: { toolset: extra }, unlisted: true }";
const LOAD_ALL = "{ tool: load_toolset, arguments: { toolset: extra, include_write_tools: true }, unlisted: true }";
const OTHERWISE = "    otherwise: { output: { done: true } }\n";
const script = (...turns: string[]) =>
  `agents:\n  worker:\n    turns:\n${turns.map((turn) => `      - ${turn}\n`).join("")}${OTHERWISE}`;
const pipeline = (step: string, more = "") => `kind: workflow\nname: main\n${more}pipeline:\n  - ${step}\n`;
const ALLOWED = "- t-none\n- t-ro1-de0-id1-ow0";
const ASKED = "- { name: t-none, require_approval: {} }\n- t-ro1-de0-id1-ow0";
const SERVER = "toolset: extra\n";

interface Way {
  facts: Partial<BenchFacts> & { script: string };
  params?: Record<string, unknown>;
  /** What happens after the first advance; returns the run to check. */
  after?: (bench: EngineBench, runId: string) => Promise<string>;
  ends?: "failed";
}

const WAYS: Record<string, Way> = {
  "a tool that writes": { facts: { script: script(`call: [${WRITES}]`) } },
  "a tool that reads": { facts: { script: script(`call: [${READS}]`) } },
  "a tool that writes, of a toolset of which only the reading tools are loaded": {
    facts: { script: script(`call: [${LOAD}]`, `call: [${WRITES}]`) },
  },
  "a tool that writes, of a toolset that the agent's file loads": {
    facts: { script: script(`call: [${WRITES}]`), agent: "toolsets: [extra]\n" },
  },
  "a tool in the same turn as load_toolset": { facts: { script: script(`call: [${LOAD_ALL}, ${WRITES}]`) } },
  "a tool that is asked for again and again": {
    facts: { script: script(`call: [${WRITES}]`, `call: [${WRITES}]`, `call: [${WRITES}]`) },
  },
  "a tool after load_toolset with arguments that do not fit": {
    facts: {
      script: script(
        "call: [{ tool: load_toolset, arguments: { toolset: none }, unlisted: true }]",
        `call: [${WRITES}]`,
      ),
    },
  },
  "the items of a fan-out": {
    facts: {
      script: script(`call: [${WRITES}]`),
      workflow: pipeline(
        '{ id: work, agent: ./agents/worker.agent.yaml, for_each: { from: "{{ params.list }}", concurrency: 2 } }',
        "params: { schema: { type: object, properties: { list: { type: array } } } }\n",
      ),
    },
    params: { list: [1, 2, 3] },
  },
  "a sub-agent whose caller has loaded the toolset": {
    facts: {
      script: `${script(`call: [${WRITES}]`)}  boss:\n    turns:\n      - call: [${LOAD_ALL}]\n      - call: [{ tool: agent__worker, arguments: {} }]\n${OTHERWISE}`,
      workflow: pipeline("{ id: work, agent: ./agents/boss.agent.yaml }"),
      files: {
        "agents/boss.agent.yaml":
          'name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [t-none] } }\nsubagents: [agents/worker.agent.yaml]\n',
      },
    },
  },
  "the retry of a run that had loaded it": {
    facts: {
      script: `agents:\n  worker:\n    turns:\n      - call: [${WRITES}]\n      - call: [${LOAD_ALL}]\n      - output: { ktsu_low_quality: bad }\n`,
    },
    after: async (bench, runId) => {
      const { runId: retried } = await retryRun(bench.deps, TEST_ACTOR, { runId });
      await bench.advance(retried);
      return retried;
    },
    ends: "failed",
  },
};

const FACTS = { server: SERVER, allowlist: ALLOWED };

describe.each(Object.entries(WAYS))(verifies("toolsets:gate", "%s"), (_way, way) => {
  test.each([
    ["that would run at once", ALLOWED],
    ["that a person would be asked about", ASKED],
  ])("%s goes nowhere", async (_name, allowlist) => {
    const bench = await openEngineBench(database, { ...FACTS, ...way.facts, allowlist });
    const first = await bench.launch(way.params);
    const runId = (await way.after?.(bench, first)) ?? first;
    expect(await bench.recorder.calls()).toEqual([]);
    const run = await bench.read(runId);
    expect(run.status).toBe(way.ends ?? "complete");
    const calls = run.calls.filter(({ server }) => server === "recorder");
    expect(calls.length).toBeGreaterThan(0);
    expect([...new Set(calls.map(({ status, error }) => `${status} ${(error as { code: string }).code}`))]).toEqual([
      "denied toolset_not_loaded",
    ]);
    expect(calls.flatMap(({ approvals }) => approvals)).toEqual([]);
    const denied = await database.db.event.findMany({ where: { chainId: runId, type: "call.denied" } });
    expect(denied).toHaveLength(calls.length);
  });
});

test(
  verifies("toolsets:gate", "the model gets an answer that names the call to load it, and can make it"),
  async () => {
    const bench = await openEngineBench(database, {
      ...FACTS,
      script: script(`call: [${WRITES}]`, `call: [${LOAD_ALL}]`, `call: [${WRITES}]`),
    });
    const run = await bench.read(await bench.launch());
    const [refused, loaded, called] = run.calls;
    expect(refused!.error).toMatchObject({
      message: expect.stringMatching(
        /toolset "extra".*load_toolset with \{"toolset":"extra","include_write_tools":true\} first/,
      ) as unknown,
    });
    expect([loaded!.status, called!.status]).toEqual(["succeeded", "succeeded"]);
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
  },
);

test.each([
  ["the reading tools", "[extra]", ["mcp__recorder__t-ro1-de0-id1-ow0"]],
  ["the reading tools, by name", "[{ name: extra }]", ["mcp__recorder__t-ro1-de0-id1-ow0"]],
  [
    "the writing tools too",
    "[{ name: extra, write: true }]",
    ["mcp__recorder__t-none", "mcp__recorder__t-ro1-de0-id1-ow0"],
  ],
])("an agent's file loads %s", async (_name, toolsets, tools) => {
  const bench = await openEngineBench(database, {
    ...FACTS,
    agent: `toolsets: ${toolsets}\n`,
    script: script("output: { ok: true }"),
  });
  const run = await bench.read(await bench.launch());
  const offered = (run.turns[0]!.request as { tools: string[] }).tools.filter((tool) => tool !== "load_toolset");
  expect(offered.toSorted()).toEqual(tools);
});

describe("another process resumes the step", () => {
  const gated = (load: string) =>
    script(`call: [${load}{ tool: mcp__open__echo, arguments: {}, unlisted: true }]`, `call: [${WRITES}]`);
  const open = 'name: open\nurl: "URL"\n';
  const agent = `name: worker\nmodel: standard\nprompt: { system: "Work." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [t-none] } }\n  - { name: open, path: servers/open.server.yaml, access: { allowlist: [{ name: echo, require_approval: {} }] } }\n`;

  test.each([
    ["and knows what is loaded", `${LOAD_ALL}, `, "succeeded"],
    ["and knows what is not", "", "denied"],
  ])("%s", async (_name, load, status) => {
    const facts = {
      ...FACTS,
      script: gated(load),
      files: { "servers/open.server.yaml": open, "agents/worker.agent.yaml": agent },
    };
    const bench = await openEngineBench(database, facts);
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    await bench.decide(approval!, "approved");
    const other = await openEngineBench(database, { ...facts, on: bench });
    await other.advance(runId);
    expect((await bench.read(runId)).calls.find(({ tool }) => tool === "t-none")?.status).toBe(status);
    expect(await bench.recorder.calls("t-none")).toHaveLength(status === "denied" ? 0 : 1);
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";

const database = useDatabase();

const group = (name: string, more = "") => `  - { name: ${name}, models: [local/${name}]${more} }\n`;
const agent = (name: string, more = "") =>
  `name: ${name}\nmodel: standard\nprompt: { system: "Work.", user: "Go." }\n${more}`;
const root = (step: string, policy: string) =>
  `kind: workflow\nname: main\npipeline:\n  - { id: work, ${step} }\n${policy === "" ? "" : `model_policy: { ${policy} }\n`}`;

/** What a provider is really sent, by a run of the given step under the given policy. */
async function askedFor(step: string, policy = "", replies = [chatAnswer({ content: "done" })]) {
  const server = await startChatServer();
  onTestFinished(() => server.close());
  server.reply(...replies);
  const files = {
    "gateway.yaml": `providers: [{ name: local, type: openai-compatible, config: { base_url: "${server.url}/v1" } }]\nmodel_groups:\n${group("standard", ", default_temperature: 0.3")}${group("economy")}${group("frontier")}`,
    "agents/worker.agent.yaml": agent("worker"),
    "agents/boss.agent.yaml": agent("boss", "subagents: [agents/worker.agent.yaml]\n"),
    "workflows/below.workflow.yaml":
      "kind: workflow\nname: below\nvisibility: sub-workflow\npipeline: [{ id: deep, agent: ./agents/worker.agent.yaml, model: { group: economy } }]\n",
  };
  const bench = await openEngineBench(database, {
    script: "agents: { worker: { otherwise: { say: unused } } }\n",
    files,
    workflow: root(step, policy),
  });
  const run = await bench.read(await bench.launch());
  expect(run.status).toBe("complete");
  return server.requests.map(({ body }) => ({
    model: body.model,
    max_tokens: body.max_tokens,
    temperature: body.temperature,
  }));
}

const WORKER = "agent: ./agents/worker.agent.yaml";

test.each<[string, string, string, { model: string; max_tokens?: number; temperature?: number }]>([
  ["the agent's group, with the group's temperature", WORKER, "", { model: "standard", temperature: 0.3 }],
  [
    "the step's group, length and temperature",
    `${WORKER}, model: { group: economy, max_tokens: 512, temperature: 0.9 }`,
    "",
    { model: "economy", max_tokens: 512, temperature: 0.9 },
  ],
  [
    "the step's temperature over the group's",
    `${WORKER}, model: { temperature: 0 }`,
    "",
    { model: "standard", temperature: 0 },
  ],
  [
    "the group that the policy forces, with the step's length",
    `${WORKER}, model: { group: economy, max_tokens: 64 }`,
    "force_group: frontier",
    { model: "frontier", max_tokens: 64 },
  ],
  ["the group that stands for the agent's", WORKER, "group_map: { standard: economy }", { model: "economy" }],
  [
    "the group that stands for the step's",
    `${WORKER}, model: { group: frontier }`,
    "group_map: { frontier: economy }",
    { model: "economy" },
  ],
  [
    "the group that stands for the forced one",
    WORKER,
    "force_group: frontier, group_map: { frontier: economy }",
    { model: "economy" },
  ],
  ["in a sub-workflow: its step's own", "workflow: ./workflows/below.workflow.yaml", "", { model: "economy" }],
  [
    "in a sub-workflow: what the run's policy forces",
    "workflow: ./workflows/below.workflow.yaml",
    "force_group: frontier",
    { model: "frontier" },
  ],
])("a provider is asked for %s", async (_what, step, policy, expected) => {
  expect(await askedFor(step, policy)).toEqual([{ max_tokens: 8_192, temperature: undefined, ...expected }]);
});

test("a step's model is for its own agent; its sub-agents have their own group, under the run's policy", async () => {
  const call = chatAnswer({
    calls: [{ id: "c1", name: "agent__worker", arguments: "{}" }],
    finish_reason: "tool_calls",
  });
  const done = chatAnswer({ content: "done" });
  const asked = await askedFor(
    "agent: ./agents/boss.agent.yaml, model: { group: frontier, max_tokens: 64 }",
    "group_map: { standard: economy }",
    [call, done, done],
  );
  expect(asked.map(({ model, max_tokens }) => [model, max_tokens])).toEqual([
    ["frontier", 64],
    ["economy", 8_192],
    ["frontier", 64],
  ]);
});

test("an answer that the provider truncated is requested again", async () => {
  const cut = chatAnswer({ content: "Refund it, but", finish_reason: "length" });
  expect(await askedFor(WORKER, "", [cut, chatAnswer({ content: "done" })])).toHaveLength(2);
});

describe("an answer that a database cannot store, or that a tool would not get as intended", () => {
  const PRICED = ", pricing: [{ model: standard, input_per_million: 1000, output_per_million: 1000 }]";

  /** A run whose first turn is `first` and whose second says "done", with all requests to the provider. */
  async function play(first: ReturnType<typeof chatAnswer>) {
    const server = await startChatServer();
    onTestFinished(() => server.close());
    server.reply(first, chatAnswer({ content: "done" }));
    const files = {
      "gateway.yaml": `providers: [{ name: local, type: openai-compatible, config: { base_url: "${server.url}/v1" } }]\nmodel_groups:\n${group("standard", PRICED)}`,
    };
    const bench = await openEngineBench(database, {
      script: "agents: { worker: { otherwise: { say: unused } } }\n",
      files,
      allowlist: "- echo",
      workflow: root(WORKER, "cost_budget_usd: 100"),
    });
    const run = await bench.read(await bench.launch());
    return {
      bench,
      run,
      asked: server.requests.map(({ body }) => body.messages as { role: string; content: string }[]),
    };
  }

  const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  test.each([
    ["a NUL in an argument", String.raw`{"text":"a\u0000b"}`, /arguments\.text has a NUL/],
    ["a NUL in a name", String.raw`{"list":[{"te\u0000xt":1}]}`, /arguments\.list\[0\] has a key that has a NUL/],
    ["a NUL that is not written as an escape", '{"text":"a\0b"}', /not valid JSON/],
    [
      "half a surrogate pair in an argument",
      String.raw`{"text":"\ud800"}`,
      /arguments\.text has half of a surrogate pair/,
    ],
    ["half a surrogate pair in a name", String.raw`{"\ud800":1}`, /has a key that has half of a surrogate pair/],
    ["an integer beyond 2^53", '{"id":9007199254740993}', /integer beyond 2\^53/],
    ["a name that programs read differently", '{"__proto__":{"a":1}}', /__proto__/],
    ["too much nesting", `{"list":${deep}}`, /nested more than 100 deep/],
  ])(
    verifies(
      "promise:5",
      "%s: the turn is on record and paid for once, the call is not made, and the model gets the reason",
    ),
    async (_what, args, problem) => {
      const call = chatAnswer({
        calls: [{ id: "c1", name: "mcp__recorder__echo", arguments: args }],
        finish_reason: "tool_calls",
      });
      const { bench, run, asked } = await play(call);
      expect(run).toMatchObject({ status: "complete", llmCalls: 2, output: { work: { text: "done" } } });
      expect(run.calls).toMatchObject([
        { status: "failed", error: { code: "malformed_arguments", message: expect.stringMatching(problem) } },
      ]);
      expect(asked[1]!.find(({ role }) => role === "tool")!.content).toMatch(problem);
      expect(await bench.recorder.calls()).toHaveLength(0);
      expect(Number(run.costUsd)).toBe(0.24);
    },
  );

  test(
    verifies("promise:5", "in text, reasoning and the name of a tool it is replaced, and the turn is on record"),
    async () => {
      const call = chatAnswer({
        content: "a\0b\ud800",
        reasoning_content: "\udc00\0",
        calls: [{ id: "c1", name: "ec\0ho", arguments: "{}" }],
        finish_reason: "tool_calls",
      });
      const { run } = await play(call);
      expect(run).toMatchObject({ status: "complete", llmCalls: 2 });
      expect(run.turns[0]!.response).toMatchObject({
        text: "a\uFFFDb\uFFFD",
        raw: { parts: [{ text: "\uFFFD\uFFFD" }, { text: "a\uFFFDb\uFFFD" }, { type: "tool_call" }] },
      });
      expect(run.calls).toMatchObject([{ status: "denied", tool: "ec\uFFFDho", agentSays: "a\uFFFDb\uFFFD" }]);
    },
  );

  test("in the fields of an answer it is replaced", async () => {
    const { run } = await play(chatAnswer({ content: String.raw`{"a\u0000":"\ud800"}` }));
    expect(run).toMatchObject({ status: "complete", llmCalls: 1, output: { work: { "a\uFFFD": "\uFFFD" } } });
  });
});

test("a script that says or sends what no database can store is treated like any other model", async () => {
  const script =
    'agents:\n  worker:\n    turns:\n      - { say: "a\\0", call: [{ tool: echo, arguments: { text: "\\0" } }] }\n    otherwise: { say: "{{ status.echo }}\\0" }\n';
  const bench = await openEngineBench(database, { script, allowlist: "- echo" });
  const run = await bench.read(await bench.launch());
  expect(run.output).toEqual({ work: { text: "failed\uFFFD" } });
  expect(run.calls).toMatchObject([{ agentSays: "a\uFFFD", error: { code: "malformed_arguments" } }]);
});

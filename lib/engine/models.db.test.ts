import { expect, onTestFinished, test } from "vitest";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";

const database = useDatabase();

const group = (name: string, more = "") => `  - { name: ${name}, models: [local/${name}]${more} }\n`;
const agent = (name: string, more = "") => `name: ${name}\nmodel: standard\nprompt: { system: "Work.", user: "Go." }\n${more}`;
const root = (step: string, policy: string) => `kind: workflow\nname: main\npipeline:\n  - { id: work, ${step} }\n${policy === "" ? "" : `model_policy: { ${policy} }\n`}`;

/** What a provider is really asked for, by a run of the given step under the given policy. */
async function askedFor(step: string, policy = "", replies = [chatAnswer({ content: "done" })]) {
  const server = await startChatServer();
  onTestFinished(() => server.close());
  server.reply(...replies);
  const files = {
    "gateway.yaml": `providers: [{ name: local, type: openai-compatible, config: { base_url: "${server.url}/v1" } }]\nmodel_groups:\n${group("standard", ", default_temperature: 0.3")}${group("economy")}${group("frontier")}`,
    "agents/worker.agent.yaml": agent("worker"),
    "agents/boss.agent.yaml": agent("boss", "subagents: [agents/worker.agent.yaml]\n"),
    "workflows/below.workflow.yaml": "kind: workflow\nname: below\nvisibility: sub-workflow\npipeline: [{ id: deep, agent: ./agents/worker.agent.yaml, model: { group: economy } }]\n",
  };
  const bench = await openEngineBench(database, { script: "agents: { worker: { otherwise: { say: unused } } }\n", files, workflow: root(step, policy) });
  const run = await bench.read(await bench.launch());
  expect(run.status).toBe("complete");
  return server.requests.map(({ body }) => ({ model: body.model, max_tokens: body.max_tokens, temperature: body.temperature }));
}

const WORKER = "agent: ./agents/worker.agent.yaml";

test.each<[string, string, string, { model: string; max_tokens?: number; temperature?: number }]>([
  ["the agent's group, with the group's temperature", WORKER, "", { model: "standard", temperature: 0.3 }],
  ["the step's group, length and temperature", `${WORKER}, model: { group: economy, max_tokens: 512, temperature: 0.9 }`, "", { model: "economy", max_tokens: 512, temperature: 0.9 }],
  ["the step's temperature over the group's", `${WORKER}, model: { temperature: 0 }`, "", { model: "standard", temperature: 0 }],
  ["the group that the policy forces, with the step's length", `${WORKER}, model: { group: economy, max_tokens: 64 }`, "force_group: frontier", { model: "frontier", max_tokens: 64 }],
  ["the group that stands for the agent's", WORKER, "group_map: { standard: economy }", { model: "economy" }],
  ["the group that stands for the step's", `${WORKER}, model: { group: frontier }`, "group_map: { frontier: economy }", { model: "economy" }],
  ["the group that stands for the forced one", WORKER, "force_group: frontier, group_map: { frontier: economy }", { model: "economy" }],
  ["in a sub-workflow: its step's own", "workflow: ./workflows/below.workflow.yaml", "", { model: "economy" }],
  ["in a sub-workflow: what the run's policy forces", "workflow: ./workflows/below.workflow.yaml", "force_group: frontier", { model: "frontier" }],
])("a provider is asked for %s", async (_what, step, policy, expected) => {
  expect(await askedFor(step, policy)).toEqual([{ max_tokens: undefined, temperature: undefined, ...expected }]);
});

test("a step's wish is for its own agent; its sub-agents have their own group, under the run's policy", async () => {
  const call = chatAnswer({ calls: [{ id: "c1", name: "agent__worker", arguments: "{}" }], finish_reason: "tool_calls" });
  const done = chatAnswer({ content: "done" });
  const asked = await askedFor("agent: ./agents/boss.agent.yaml, model: { group: frontier, max_tokens: 64 }", "group_map: { standard: economy }", [call, done, done]);
  expect(asked.map(({ model, max_tokens }) => [model, max_tokens])).toEqual([["frontier", 64], ["economy", undefined], ["frontier", 64]]);
});

test("an answer that the provider cut is asked for again", async () => {
  const cut = chatAnswer({ content: "Refund it, but", finish_reason: "length" });
  expect(await askedFor(WORKER, "", [cut, chatAnswer({ content: "done" })])).toHaveLength(2);
});

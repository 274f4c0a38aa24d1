/** The money reserved for a turn is close to its cost: money for a sentence pays for a sentence. */
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();

/** A dollar per input token; answers cost nothing. */
const GATEWAY =
  "providers: [{ name: test, type: scripted, config: { script: models/test.script.yaml } }]\nmodel_groups: [{ name: standard, models: [test/m], pricing: [{ model: m, input_per_million: 1000000, output_per_million: 0 }] }]\n";
const workflow = (budget: number) =>
  `kind: workflow\nname: main\npipeline: [{ id: work, agent: ./agents/worker.agent.yaml, model: { max_tokens: 16 } }]\nmodel_policy: { cost_budget_usd: ${budget} }\n`;
const agent = (system: string) =>
  `name: worker\nmodel: standard\nprompt:\n  system: ${JSON.stringify(system)}\n  user: "Where is order 7?"\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [echo] } }\n`;
const script = (tokens: number) =>
  `agents:\n  worker:\n    turns:\n      - { output: { done: true }, usage: { tokens_in: ${tokens}, tokens_out: 1 } }\n`;

test(
  verifies(
    "engine:budget:estimate",
    "a prompt of a sentence with a tool is sent when there is money for a hundred and fifty tokens",
  ),
  async () => {
    const bench = await openEngineBench(database, {
      files: { "gateway.yaml": GATEWAY, "agents/worker.agent.yaml": agent("Answer the customer in one sentence.") },
      script: script(80),
      workflow: workflow(150),
    });
    const run = await bench.read(await bench.launch());
    expect({ status: run.status, error: run.error }).toEqual({ status: "complete", error: null });
    expect(Number(run.costUsd)).toBe(80);
  },
);

test(verifies("engine:budget:estimate", "a prompt that costs more than the money is not sent"), async () => {
  const long = "Answer the customer in one sentence, in the language of the question. ".repeat(12);
  const bench = await openEngineBench(database, {
    files: { "gateway.yaml": GATEWAY, "agents/worker.agent.yaml": agent(long) },
    script: script(180),
    workflow: workflow(150),
  });
  const run = await bench.read(await bench.launch());
  expect(run.error).toMatchObject({ code: "budget_exceeded" });
  expect(run.turns).toEqual([]);
});

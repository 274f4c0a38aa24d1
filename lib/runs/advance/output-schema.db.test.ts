/** The model gets the schema of its answer before its first turn, from every provider in that provider's form. */
import { describe, expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { startRun } from "@/lib/runs/start-run";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { startHookServer } from "@/lib/testing/hook-server";
import { anthropicAnswer, startAnthropicServer } from "@/lib/testing/provider-servers/anthropic-server";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import { openAIAnswer, outputText, startOpenAIServer } from "@/lib/testing/provider-servers/openai-server";
import type { ProviderServer, RecordedRequest, Reply } from "@/lib/testing/provider-servers/provider-server";
import { openRunBench, TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

interface Kind {
  type: string;
  model: string;
  key: string;
  start: () => Promise<ProviderServer>;
  answer: (text: string) => Reply;
}

const KINDS: Record<string, Kind> = {
  anthropic: {
    type: "anthropic",
    model: "claude-haiku-4-5",
    key: "sk-ant-1",
    start: startAnthropicServer,
    answer: (text) => anthropicAnswer({ content: [{ type: "text", text }] }),
  },
  openai: {
    type: "openai",
    model: "gpt-test",
    key: "sk-1",
    start: startOpenAIServer,
    answer: (text) => openAIAnswer({ output: [outputText(text)] }),
  },
  "openai-compatible": {
    type: "openai-compatible",
    model: "local",
    key: "key",
    start: startChatServer,
    answer: (text) => chatAnswer({ content: text }),
  },
};

/** A model that cannot guess: it greets by the given name, under the given field, or returns nothing useful. */
function greet({ body }: RecordedRequest): string {
  const sent = JSON.stringify(body);
  const name = /name[\\":\s]+(Ana)/.exec(sent)?.[1];
  return sent.includes("greeting_text") && name ? `{"greeting_text":"Good morning, ${name}."}` : "Hello there!";
}

/** One turn, no params of its own, the answer posted somewhere: the smallest project of the original. */
function helloFiles(kind: Kind, url: string): Record<string, string> {
  return {
    "gateway.yaml": `env: [{ name: KEY, secret: true }]\nproviders: [{ name: p, type: ${kind.type}, config: { api_key: "{{ env.KEY }}", base_url: "${url}/v1", max_retries: 0 } }]\nmodel_groups: [{ name: standard, models: [p/${kind.model}] }]\n`,
    "agents/greeter.agent.yaml": `
name: greeter
model: standard
max_turns: 1
prompt:
  system: |
    The input is JSON; the person's name is at params.name.
    Answer with the JSON of your schema.
output:
  schema: { type: object, required: [greeting_text], properties: { greeting_text: { type: string } } }
`,
    "workflows/hello.workflow.yaml": `
kind: workflow
name: hello
version: "1.0.0"
params: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
env: [{ name: OUTPUT_WEBHOOK_URL, secret: true }]
pipeline:
  - id: greet
    agent: ./agents/greeter.agent.yaml
  - id: send
    webhook: { url: "{{ env.OUTPUT_WEBHOOK_URL }}", method: POST, body: { greeting: "{{ step.greet.greeting_text }}", name: "{{ params.name }}" } }
    depends_on: [greet]
`,
  };
}

describe.each(Object.entries(KINDS))("%s", (_name, kind) => {
  test(verifies("output:schema", "the smallest project of the original completes after its one turn"), async () => {
    const provider = await kind.start();
    onTestFinished(() => provider.close());
    provider.reply({ kind: "chosen", choose: (request) => kind.answer(greet(request)) });
    const hook = await startHookServer();
    const { deps, advance } = await openRunBench(database, helloFiles(kind, provider.url), {
      KEY: kind.key,
      OUTPUT_WEBHOOK_URL: hook.url,
    });
    const { runId } = await startRun(deps, { workflow: "hello", params: { name: "Ana" }, actor: TEST_ACTOR });
    await advance(runId);
    const run = await database.db.run.findUniqueOrThrow({ where: { id: runId } });
    expect({ status: run.status, error: run.error }).toEqual({ status: "complete", error: null });
    expect(hook.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { greeting: "Good morning, Ana.", name: "Ana" },
    ]);
    expect(provider.requests).toHaveLength(1);
  });
});

const RESERVED =
  "output: { schema: { type: object, required: [n, ktsu_confidence], additionalProperties: false, properties: { n: { type: number }, ktsu_confidence: { type: number }, ktsu_flags: false } } }\n";

test.each([
  ["has the field that the schema requires", "{ n: 3, ktsu_confidence: 0.9 }"],
  ["has a field that the schema forbids", "{ n: 3, ktsu_flags: [odd] }"],
])("a reserved field is not checked against the schema: an answer that %s is accepted", async (_name, answer) => {
  const bench = await openEngineBench(database, {
    agent: `max_turns: 1\n${RESERVED}`,
    script: `agents:\n  worker:\n    turns:\n      - output: ${answer}\n`,
  });
  const run = await bench.read(await bench.launch());
  expect({ error: run.error, output: run.output }).toEqual({ error: null, output: { work: { n: 3 } } });
});

test("an agent that declares no params gets the workflow's params and the outputs of the steps before it, but no secret", async () => {
  const provider = await startChatServer();
  onTestFinished(() => provider.close());
  provider.reply(chatAnswer({ content: '{"seen":true}' }), chatAnswer({ content: "done" }));
  const agent = (name: string) => `name: ${name}\nmodel: standard\nprompt: { system: "Look." }\n`;
  const files = {
    "gateway.yaml": `providers: [{ name: p, type: openai-compatible, config: { base_url: "${provider.url}/v1" } }]\nmodel_groups: [{ name: standard, models: [p/m] }]\n`,
    "agents/first.agent.yaml": agent("first"),
    "agents/second.agent.yaml": agent("second"),
    "workflows/main.workflow.yaml":
      "kind: workflow\nname: main\nparams: { schema: { type: object, properties: { name: { type: string }, pin: { type: string, secret: true } } } }\npipeline:\n  - { id: one, agent: ./agents/first.agent.yaml }\n  - { id: two, agent: ./agents/second.agent.yaml, depends_on: [one] }\n",
  };
  const { deps, advance } = await openRunBench(database, files);
  const { runId } = await startRun(deps, {
    workflow: "main",
    params: { name: "Ana", pin: "pin-9-9-9-9" },
    actor: TEST_ACTOR,
  });
  await advance(runId);
  const given = provider.requests.map(
    ({ body }) => JSON.parse((body.messages as { content: string }[])[1]!.content) as unknown,
  );
  expect(given).toEqual([{ params: { name: "Ana" } }, { params: { name: "Ana" }, step: { one: { seen: true } } }]);
});

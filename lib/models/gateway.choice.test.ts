import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anthropicAnswer, startAnthropicServer } from "@/lib/testing/provider-servers/anthropic-server";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import {
  anthropicProvider,
  createGatewayFixture,
  localProvider,
  modelRequest,
  openAIProvider,
} from "@/lib/testing/provider-servers/gateway-fixture";
import { openAIAnswer, outputText, startOpenAIServer } from "@/lib/testing/provider-servers/openai-server";
import type { ProviderServer } from "@/lib/testing/provider-servers/provider-server";
import { getScript } from "./parse-script";

const { signal } = new AbortController();
const ANSWER = anthropicAnswer({ content: [{ type: "text", text: "fine" }] });
const SECOND = openAIAnswer({ output: [outputText("second")] });

let first: ProviderServer;
let second: ProviderServer;
beforeEach(async () => {
  first = await startAnthropicServer();
  second = await startOpenAIServer();
});
afterEach(() => Promise.all([first.close(), second.close()]));

function fixture({ group = {}, random }: { group?: Record<string, unknown>; random?: () => number } = {}) {
  const providers = [anthropicProvider(first.url), openAIProvider(second.url)];
  return createGatewayFixture({
    providers,
    group: { models: ["anthropic/claude-haiku-4-5", "openai/gpt-4.1-mini"], ...group },
    ...(random && { random }),
  });
}

describe("the order of a group's models", () => {
  const priced = (model: string, price: number) => ({ model, input_per_million: price, output_per_million: price });

  test("cost_optimized asks the cheapest first, and models without a price last", async () => {
    second.reply(SECOND);
    const pricing = [priced("claude-haiku-4-5", 2), priced("openai/gpt-4.1-mini", 1)];
    const group = {
      strategy: "cost_optimized",
      models: ["anthropic/unpriced", "anthropic/claude-haiku-4-5", "openai/gpt-4.1-mini"],
      pricing,
    };
    const { model } = await fixture({ group }).gateway.generate("standard", modelRequest(), { signal });
    expect(model).toBe("openai/gpt-4.1-mini");
  });

  test("round_robin gives each conversation the next model, and then stays with it", async () => {
    first.reply(ANSWER, ANSWER, ANSWER);
    second.reply(SECOND);
    const { gateway } = fixture({ group: { strategy: "round_robin" }, random: () => 0 });
    const asked = async (messages = modelRequest().messages) =>
      gateway.generate("standard", modelRequest({ messages }), { signal });
    const begun = await asked();
    expect([begun.model, (await asked()).model, (await asked()).model]).toEqual([
      "anthropic/claude-haiku-4-5",
      "openai/gpt-4.1-mini",
      "anthropic/claude-haiku-4-5",
    ]);
    const more = [
      ...modelRequest().messages,
      { role: "assistant" as const, text: begun.turn.text, toolCalls: [], raw: begun.turn.raw! },
      { role: "user" as const, text: "and?" },
    ];
    expect((await asked(more)).model).toBe("anthropic/claude-haiku-4-5");
    expect([first.requests.length, second.requests.length]).toEqual([3, 1]);
  });
});

test("cost is that of the answering model, in whole millionths of a dollar, and the estimate is not below it", async () => {
  first.reply(
    anthropicAnswer({ content: [{ type: "text", text: "x" }], usage: { input_tokens: 33, output_tokens: 7 } }),
  );
  const pricing = [{ model: "claude-haiku-4-5", input_per_million: 0.1, output_per_million: 0.7 }];
  const { gateway } = fixture({ group: { pricing } });
  const result = await gateway.generate("standard", modelRequest(), { signal });
  // 33 × 0.1 + 7 × 0.7 = 8.2 millionths.
  expect(result).toMatchObject({ costMicroUsd: 9, costUsd: 0.000009, isPriced: true });
  expect(gateway.estimateCostUsd("standard", modelRequest())).toBeGreaterThanOrEqual(result.costUsd);
});

test("scripted models are tried, counted and followed like all others", async () => {
  const script = getScript(
    "s.yaml",
    `agents: { sorter: { rules: [{ when: "model == 'scripted/down'", error: { kind: overloaded } }], turns: [{ say: there, error: { kind: rate_limited, attempts: 1 } }] } }`,
  );
  const providers = [{ name: "scripted", type: "scripted", config: { script: "s.yaml" } }];
  const { gateway } = createGatewayFixture({
    providers,
    scripts: new Map([["scripted", { file: "s.yaml", script }]]),
    group: { models: ["scripted/down", "scripted/up"] },
  });
  const { turn, attempts, isPriced } = await gateway.generate("standard", modelRequest(), { signal });
  expect(turn.text).toBe("there");
  expect(attempts.map(({ model, outcome }) => `${model} ${outcome}`)).toEqual([
    ...Array.from({ length: 3 }, () => "scripted/down overloaded"),
    "scripted/up rate_limited",
    "scripted/up succeeded",
  ]);
  expect(isPriced).toBe(false);
});

test("a conversation moves to another provider without what only the first one understands", async () => {
  const chat = await startChatServer();
  chat.reply(chatAnswer({ content: "third" }));
  first.reply(
    anthropicAnswer({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "tool_use", id: "toolu_1", name: "read", input: { id: 1 } },
      ],
      stop_reason: "tool_use",
    }),
  );
  const { turn } = await fixture().gateway.generate("standard", modelRequest(), { signal });
  const messages = [
    ...modelRequest().messages,
    { role: "assistant" as const, text: turn.text, toolCalls: turn.toolCalls, raw: turn.raw! },
    {
      role: "tool" as const,
      results: [{ callId: "toolu_1", name: "read", status: "succeeded" as const, output: "ok" }],
    },
  ];
  const { gateway } = createGatewayFixture({ providers: [localProvider(chat.url)], group: { models: ["local/m"] } });
  expect((await gateway.generate("standard", modelRequest({ messages }), { signal })).turn.text).toBe("third");
  expect(JSON.stringify(chat.requests[0]!.body)).not.toContain("Hm.");
  await chat.close();
});

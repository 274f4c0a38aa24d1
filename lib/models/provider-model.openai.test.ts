import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createGatewayFixture,
  KEYS,
  modelRequest,
  openAIProvider,
} from "@/lib/testing/provider-servers/gateway-fixture";
import {
  functionCall,
  openAIAnswer,
  openAIFailure,
  outputText,
  startOpenAIServer,
} from "@/lib/testing/provider-servers/openai-server";
import type { ProviderServer } from "@/lib/testing/provider-servers/provider-server";
import type { ModelMessage, ModelRequest, ModelTool } from "./model";

const signal = new AbortController().signal;
/** A property that is not required: strict mode would refuse or rewrite it. */
const READ: ModelTool = {
  name: "mcp__shop__orders-read",
  description: "Reads an order",
  inputSchema: { type: "object", properties: { id: { type: "integer" }, note: { type: "string" } }, required: ["id"] },
};

let server: ProviderServer;
beforeEach(async () => {
  server = await startOpenAIServer();
});
afterEach(() => server.close());

function ask(request: ModelRequest, models = ["openai/gpt-4.1-mini"], config: Record<string, unknown> = {}) {
  const { gateway } = createGatewayFixture({
    providers: [openAIProvider(server.url, { max_retries: 0, ...config })],
    group: { models },
  });
  return gateway.generate("standard", request, { signal });
}

test("the request stores nothing at the provider and carries tool schemas as they were given", async () => {
  server.reply(openAIAnswer({ output: [outputText("billing")] }));
  const { turn } = await ask(modelRequest({ tools: [READ], temperature: 0.3 }), ["openai/gpt-4.1-mini"], {
    organization: "org-7",
  });
  expect(turn).toMatchObject({ text: "billing", finishReason: "stop" });
  expect(server.requests[0]!.body).toEqual({
    model: "gpt-4.1-mini",
    store: false,
    max_output_tokens: 256,
    temperature: 0.3,
    input: [
      { role: "system", content: "You sort mail." },
      { role: "user", content: [{ type: "input_text", text: "Sort this: invoice 7" }] },
    ],
    tools: [
      { type: "function", name: READ.name, description: READ.description, parameters: READ.inputSchema, strict: false },
    ],
  });
  expect(server.requests[0]!.headers).toMatchObject({
    authorization: `Bearer ${KEYS.OPENAI_KEY}`,
    "openai-organization": "org-7",
  });
});

test("parallel calls keep their ids, and reasoning goes back encrypted", async () => {
  const reasoning = {
    type: "reasoning",
    id: "rs_1",
    encrypted_content: "ZW5j",
    summary: [{ type: "summary_text", text: "Two orders." }],
  };
  server.reply(
    openAIAnswer({
      output: [reasoning, functionCall("call_a", READ.name, '{"id":7}'), functionCall("call_b", READ.name, '{"id":8}')],
    }),
    openAIAnswer({ output: [outputText("Both paid.")] }),
  );
  const models = ["openai/gpt-5-mini"];
  const start = modelRequest({ tools: [READ] });
  const { turn } = await ask(start, models);
  expect(server.requests[0]!.body).toMatchObject({ include: ["reasoning.encrypted_content"] });
  expect(turn).toMatchObject({
    finishReason: "tool_calls",
    toolCalls: [
      { id: "call_a", arguments: { id: 7 } },
      { id: "call_b", arguments: { id: 8 } },
    ],
  });
  const messages: ModelMessage[] = [
    ...start.messages,
    { role: "assistant", text: turn.text, toolCalls: turn.toolCalls, raw: JSON.parse(JSON.stringify(turn.raw)) },
    {
      role: "tool",
      results: [
        { callId: "call_a", name: READ.name, status: "succeeded", output: { paid: true } },
        { callId: "call_b", name: READ.name, status: "rejected", output: { status: "rejected", reason: "no" } },
      ],
    },
  ];
  expect((await ask(modelRequest({ tools: [READ], messages }), models)).turn.text).toBe("Both paid.");
  expect((server.requests[1]!.body.input as unknown[]).slice(2)).toEqual([
    reasoning,
    expect.objectContaining({ type: "function_call", call_id: "call_a", name: READ.name, arguments: '{"id":7}' }),
    expect.objectContaining({ type: "function_call", call_id: "call_b", name: READ.name, arguments: '{"id":8}' }),
    { type: "function_call_output", call_id: "call_a", output: '{"paid":true}' },
    { type: "function_call_output", call_id: "call_b", output: '{"status":"rejected","reason":"no"}' },
  ]);
});

test("reasoning that came without encryption is not sent back, since the provider kept none of it", async () => {
  server.reply(
    openAIAnswer({ output: [{ type: "reasoning", id: "rs_1", summary: [] }, outputText("one")] }),
    openAIAnswer({ output: [outputText("two")] }),
  );
  const { turn } = await ask(modelRequest());
  const messages: ModelMessage[] = [
    { role: "user", text: "a" },
    { role: "assistant", text: "one", toolCalls: [], raw: turn.raw! },
    { role: "user", text: "b" },
  ];
  expect((await ask(modelRequest({ messages }))).turn.text).toBe("two");
});

describe("arguments that cannot be used become a call that can be answered", () => {
  test.each([
    ["broken JSON", '{"id": 7', /not valid JSON/],
    ["a list", "[7]", /not a JSON object/],
    ["a bare text", '"seven"', /not a JSON object/],
  ])("%s", async (_case, text, problem) => {
    server.reply(
      openAIAnswer({ output: [functionCall("call_a", READ.name, text)] }),
      openAIAnswer({ output: [outputText("sorry")] }),
    );
    const { turn } = await ask(modelRequest({ tools: [READ] }));
    expect(turn).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [
        { id: "call_a", name: READ.name, arguments: {}, malformed: { text, problem: expect.stringMatching(problem) } },
      ],
    });
    const messages: ModelMessage[] = [
      { role: "user", text: "go" },
      { role: "assistant", text: turn.text, toolCalls: turn.toolCalls, raw: turn.raw! },
      {
        role: "tool",
        results: [
          { callId: "call_a", name: READ.name, status: "failed", output: turn.toolCalls[0]!.malformed!.problem },
        ],
      },
    ];
    expect((await ask(modelRequest({ tools: [READ], messages }))).turn.text).toBe("sorry");
  });

  test("no text at all means no arguments", async () => {
    server.reply(openAIAnswer({ output: [functionCall("call_a", READ.name, "")] }));
    expect((await ask(modelRequest({ tools: [READ] }))).turn.toolCalls).toEqual([
      { id: "call_a", name: READ.name, arguments: {} },
    ]);
  });
});

test.each([
  [
    "a refusal of the model",
    openAIAnswer({
      output: [{ type: "message", id: "m", role: "assistant", content: [{ type: "refusal", refusal: "I will not." }] }],
    }),
    { text: "I will not.", finishReason: "refused" },
  ],
  [
    "an answer that the filter stopped",
    openAIAnswer({ output: [outputText("Half")], incomplete: "content_filter" }),
    { text: "Half", finishReason: "refused" },
  ],
  [
    "a request that the filter refused",
    openAIFailure(400, "content_policy_violation", "flagged"),
    { text: "", finishReason: "refused" },
  ],
  [
    "an answer cut at the limit",
    openAIAnswer({ output: [outputText("Half")], incomplete: "max_output_tokens" }),
    { text: "Half", finishReason: "length" },
  ],
])("%s is a turn that says so", async (_case, reply, expected) => {
  server.reply(reply);
  expect((await ask(modelRequest())).turn).toMatchObject({ ...expected, toolCalls: [] });
  expect(server.requests).toHaveLength(1);
});

test("usage counts cached and reasoning tokens inside of the totals", async () => {
  const usage = {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: 800 },
    output_tokens: 90,
    output_tokens_details: { reasoning_tokens: 64 },
  };
  server.reply(openAIAnswer({ output: [outputText("x")], usage }));
  expect((await ask(modelRequest())).usage).toEqual({
    tokensIn: 1_000,
    tokensOut: 90,
    tokensInCacheRead: 800,
    tokensOutReasoning: 64,
  });
});

test.each([
  ["server_error", "overloaded", true],
  ["rate_limit_exceeded", "rate_limited", true],
  ["invalid_prompt", "invalid_request", false],
])("a response that failed with %s after it was accepted is `%s`", async (code, kind, isTransient) => {
  server.reply(openAIAnswer({ output: [], error: { code, message: "The model failed." } }));
  await expect(ask(modelRequest())).rejects.toMatchObject({ kind, isTransient });
});

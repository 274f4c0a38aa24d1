import { afterEach, beforeEach, expect, test } from "vitest";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import {
  createGatewayFixture,
  KEYS,
  localProvider,
  modelRequest,
} from "@/lib/testing/provider-servers/gateway-fixture";
import type { ProviderServer } from "@/lib/testing/provider-servers/provider-server";
import type { ModelMessage, ModelRequest, ModelTool } from "./model";

const signal = new AbortController().signal;
const READ: ModelTool = {
  name: "mcp__shop__orders-read",
  description: "Reads an order",
  inputSchema: { type: "object", properties: { id: { type: "integer" } } },
};

let server: ProviderServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server.close());

function ask(request: ModelRequest, config: Record<string, unknown> = {}) {
  const { gateway } = createGatewayFixture({
    providers: [localProvider(server.url, config)],
    group: { models: ["local/qwen/qwen3:8b"], default_temperature: 0.7 },
  });
  return gateway.generate("standard", request, { signal });
}

test("the request has the chat form, the group's temperature, and a token limit although the step set none", async () => {
  server.reply(chatAnswer({ content: "billing" }));
  const { turn, model } = await ask(modelRequest({ tools: [READ], maxTokens: null }));
  expect({ text: turn.text, model }).toEqual({ text: "billing", model: "local/qwen/qwen3:8b" });
  expect(server.requests[0]!.body).toEqual({
    model: "qwen/qwen3:8b",
    max_tokens: 8_192,
    temperature: 0.7,
    messages: [
      { role: "system", content: "You sort mail." },
      { role: "user", content: "Sort this: invoice 7" },
    ],
    tools: [
      { type: "function", function: { name: READ.name, description: READ.description, parameters: READ.inputSchema } },
    ],
  });
  expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${KEYS.LOCAL_KEY}`);
});

test("a server without a key is asked without one, and a step's own settings take precedence", async () => {
  server.reply(chatAnswer({ content: "x" }));
  const provider = { name: "local", type: "openai-compatible", config: { base_url: `${server.url}/v1/` } };
  const { gateway } = createGatewayFixture({
    providers: [provider],
    group: { models: ["local/m"], default_temperature: 0.7 },
  });
  await gateway.generate("standard", modelRequest({ temperature: 0, maxTokens: 50 }), { signal });
  expect(server.requests[0]!.headers).not.toHaveProperty("authorization");
  expect(server.requests[0]!.body).toMatchObject({ temperature: 0, max_tokens: 50 });
});

test("ids that a server leaves empty or uses twice become unique, in the call and in its result", async () => {
  const calls = [
    { id: "", name: READ.name, arguments: '{"id":1}' },
    { id: "call_0", name: READ.name, arguments: '{"id":2}' },
    { id: "call_0", name: READ.name, arguments: '{"id":3}' },
    { id: "functions.read:0", name: READ.name, arguments: '{"id":4}' },
  ];
  // Such servers also end a turn with calls as if it were the final answer.
  server.reply(chatAnswer({ calls, finish_reason: "stop" }), chatAnswer({ content: "done" }));
  const first: ModelMessage[] = [
    { role: "user", text: "go" },
    { role: "assistant", text: "", toolCalls: [{ id: "call_0", name: READ.name, arguments: {} }] },
    { role: "tool", results: [{ callId: "call_0", name: READ.name, status: "succeeded", output: "ok" }] },
  ];
  const { turn } = await ask(
    modelRequest({ messages: first, tools: [READ], metadata: { agent: "a", runId: "r", stepId: "s", turn: 2 } }),
  );
  expect(turn.finishReason).toBe("tool_calls");
  const ids = turn.toolCalls.map((call) => call.id);
  expect(new Set([...ids, "call_0"]).size).toBe(5);
  expect(turn.toolCalls.map((call) => call.arguments.id)).toEqual([1, 2, 3, 4]);
  const results = ids.map((callId) => ({ callId, name: READ.name, status: "succeeded" as const, output: "ok" }));
  const messages: ModelMessage[] = [
    ...first,
    { role: "assistant", text: "", toolCalls: turn.toolCalls, raw: turn.raw! },
    { role: "tool", results },
  ];
  expect((await ask(modelRequest({ messages, tools: [READ] }))).turn.text).toBe("done");
});

test("reasoning goes back to the model that wrote it", async () => {
  server.reply(chatAnswer({ content: "one", reasoning_content: "Hm." }), chatAnswer({ content: "two" }));
  const { turn } = await ask(modelRequest());
  await ask(
    modelRequest({
      messages: [
        { role: "user", text: "a" },
        { role: "assistant", text: turn.text, toolCalls: [], raw: turn.raw! },
        { role: "user", text: "b" },
      ],
    }),
  );
  expect((server.requests[1]!.body.messages as unknown[])[2]).toEqual({
    role: "assistant",
    content: "one",
    reasoning_content: "Hm.",
  });
});

test("reasoning is left out when the stored text is no longer the one it belongs to", async () => {
  server.reply(chatAnswer({ content: "one", reasoning_content: "Hm." }), chatAnswer({ content: "two" }));
  const { turn } = await ask(modelRequest());
  await ask(
    modelRequest({
      messages: [
        { role: "user", text: "a" },
        { role: "assistant", text: "[secret]", toolCalls: [], raw: turn.raw! },
        { role: "user", text: "b" },
      ],
    }),
  );
  expect((server.requests[1]!.body.messages as unknown[])[2]).toEqual({ role: "assistant", content: "[secret]" });
});

test("a refusal is a turn, and usage that a server does not report counts as none", async () => {
  server.reply(chatAnswer({ refusal: "I will not.", usage: null }));
  expect((await ask(modelRequest())).turn).toMatchObject({
    text: "I will not.",
    finishReason: "refused",
    usage: { tokensIn: 0, tokensOut: 0 },
  });
});

test("an error in an answer with status 200 is an error", async () => {
  server.reply(
    { kind: "json", status: 200, body: { error: { message: "upstream is down", code: 502 } } },
    chatAnswer({ content: "there" }),
  );
  const { turn, attempts } = await ask(modelRequest());
  expect(turn.text).toBe("there");
  expect(attempts[0]).toMatchObject({ outcome: "overloaded", message: expect.stringContaining("upstream is down") });
});

test("an answer of several megabytes arrives whole", async () => {
  const content = "長い answer ".repeat(400_000);
  server.reply(chatAnswer({ content }));
  expect((await ask(modelRequest())).turn.text).toBe(content);
});

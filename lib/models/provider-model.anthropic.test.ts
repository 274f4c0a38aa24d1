import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anthropicAnswer, startAnthropicServer } from "@/lib/testing/provider-servers/anthropic-server";
import {
  anthropicProvider,
  createGatewayFixture,
  KEYS,
  modelRequest,
} from "@/lib/testing/provider-servers/gateway-fixture";
import type { ProviderServer } from "@/lib/testing/provider-servers/provider-server";
import type { AssistantMessage, Json, ModelMessage, ModelRequest, ModelTool, ModelTurn } from "./model";

const signal = new AbortController().signal;

/** With keywords that only JSON Schema 2020-12 has, and that a strict subset would drop. */
const READ: ModelTool = {
  name: "mcp__shop__orders-read",
  description: "Reads an order",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { id: { type: "integer", exclusiveMinimum: 0 } },
    properties: {
      id: { $ref: "#/$defs/id" },
      tags: { type: "array", prefixItems: [{ const: "a" }], unevaluatedItems: false },
    },
    required: ["id"],
  },
};

let server: ProviderServer;
beforeEach(async () => {
  server = await startAnthropicServer();
});
afterEach(() => server.close());

function ask(request: ModelRequest, config: Record<string, unknown> = {}, models = ["anthropic/claude-haiku-4-5"]) {
  const { gateway } = createGatewayFixture({ providers: [anthropicProvider(server.url, config)], group: { models } });
  return gateway.generate("standard", request, { signal });
}

function next(
  messages: ModelMessage[],
  turn: ModelTurn,
  ...results: Extract<ModelMessage, { role: "tool" }>["results"]
): ModelMessage[] {
  const said: AssistantMessage = {
    role: "assistant",
    text: turn.text,
    toolCalls: turn.toolCalls,
    ...(turn.raw !== undefined && { raw: turn.raw }),
  };
  return [...messages, said, ...(results.length > 0 ? [{ role: "tool" as const, results }] : [])];
}

describe("the request", () => {
  test("carries system, messages, limits and tool schemas exactly as they were given", async () => {
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "billing" }] }));
    await ask(modelRequest({ tools: [READ], temperature: 0.3 }), { headers: { "X-Trace": "{{ env.TRACE }}" } });
    expect(server.requests[0]!.body).toEqual({
      model: "claude-haiku-4-5",
      max_tokens: 256,
      temperature: 0.3,
      system: [{ type: "text", text: "You sort mail.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: [{ type: "text", text: "Sort this: invoice 7" }] }],
      tools: [{ name: READ.name, description: READ.description, input_schema: READ.inputSchema }],
    });
    expect(server.requests[0]!.headers).toMatchObject({ "x-api-key": KEYS.ANTHROPIC_KEY, "x-trace": KEYS.TRACE });
    expect(server.requests[0]!.headers).not.toHaveProperty("authorization");
  });

  test("bounds the answer when the step does not", async () => {
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "x" }] }));
    await ask(modelRequest({ maxTokens: null, system: "" }));
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 8192 });
    expect(server.requests[0]!.body).not.toHaveProperty("system");
  });

  test("says which settings a model does not take", async () => {
    server.reply(
      anthropicAnswer({ content: [{ type: "text", text: "x" }] }),
      anthropicAnswer({ content: [{ type: "text", text: "x" }] }),
    );
    const request = modelRequest({ temperature: 0.3 });
    expect((await ask(request)).turn.ignoredSettings).toBeUndefined();
    expect((await ask(request, {}, ["anthropic/claude-of-tomorrow"])).turn.ignoredSettings).toEqual(["temperature"]);
    expect(server.requests[1]!.body).not.toHaveProperty("temperature");
  });

  test("names the tools of earlier calls on a turn that must conclude, and forbids them", async () => {
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "done" }] }));
    const messages: ModelMessage[] = [
      { role: "user", text: "go" },
      { role: "assistant", text: "", toolCalls: [{ id: "a", name: READ.name, arguments: { id: 7 } }] },
      { role: "tool", results: [{ callId: "a", name: READ.name, status: "succeeded", output: "ok" }] },
    ];
    expect((await ask(modelRequest({ messages, tools: [] }))).turn.text).toBe("done");
    expect(server.requests[0]!.body).toMatchObject({ tool_choice: { type: "none" }, tools: [{ name: READ.name }] });
  });
});

describe("a conversation with tools", () => {
  test("keeps parallel calls, their ids, the order of parts and reasoning with its signature", async () => {
    const tools = [READ];
    const start = modelRequest({ tools });
    const content = [
      { type: "thinking", thinking: "Two orders.", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZW5j" },
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "toolu_1", name: READ.name, input: { id: 7 } },
      { type: "tool_use", id: "toolu_2", name: READ.name, input: { id: 8, note: "ä\n" } },
    ];
    server.reply(
      anthropicAnswer({ content, stop_reason: "tool_use" }),
      anthropicAnswer({ content: [{ type: "text", text: "Both paid." }] }),
    );
    const { turn } = await ask(start);
    expect(turn).toMatchObject({
      text: "Looking.",
      finishReason: "tool_calls",
      toolCalls: [
        { id: "toolu_1", name: READ.name, arguments: { id: 7 } },
        { id: "toolu_2", name: READ.name, arguments: { id: 8, note: "ä\n" } },
      ],
    });
    const stored = JSON.parse(JSON.stringify(turn)) as ModelTurn;
    const messages = next(
      start.messages,
      stored,
      { callId: "toolu_1", name: READ.name, status: "succeeded", output: { paid: true } },
      { callId: "toolu_2", name: READ.name, status: "succeeded", output: "paid" },
    );
    await ask(modelRequest({ tools, messages }));
    const [, said, results] = server.requests[1]!.body.messages as { content: unknown }[];
    expect(said!.content).toEqual(content);
    expect(results!.content).toEqual([
      { type: "tool_result", tool_use_id: "toolu_1", content: '{"paid":true}' },
      { type: "tool_result", tool_use_id: "toolu_2", content: "paid" },
    ]);
  });

  test("reports every way in which a call can end without success as data and as an error", async () => {
    const statuses = ["failed", "denied", "rejected", "expired", "cancelled"] as const;
    const outputs: Json[] = [
      { success: false, error: "no such order" },
      "not permitted",
      { status: "rejected", tool: "shop.refund", reason: "Wrong customer", on_reject: "recover", tries_left: 1 },
      { status: "expired" },
      null,
    ];
    const messages: ModelMessage[] = [
      { role: "user", text: "go" },
      {
        role: "assistant",
        text: "",
        toolCalls: statuses.map((status) => ({ id: status, name: READ.name, arguments: {} })),
      },
      {
        role: "tool",
        results: statuses.map((status, index) => ({
          callId: status,
          name: READ.name,
          status,
          output: outputs[index]!,
        })),
      },
    ];
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "I see." }] }));
    await ask(modelRequest({ messages, tools: [READ] }));
    const results = (server.requests[0]!.body.messages as { content: { is_error: boolean; content: string }[] }[])[2]!
      .content;
    expect(results.map((result) => result.is_error)).toEqual([true, true, true, true, true]);
    expect(results.map((result) => JSON.parse(result.content))).toEqual([
      { status: "failed", output: outputs[0] },
      { status: "denied", output: "not permitted" },
      outputs[2],
      { status: "expired" },
      { status: "cancelled", output: null },
    ]);
  });

  test("sends reasoning back to no other model", async () => {
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "ok" }] }));
    const raw: Json = {
      model: "anthropic/claude-other",
      parts: [
        { type: "reasoning", text: "secret plan", metadata: { anthropic: { signature: "x" } } },
        { type: "text", text: "hm" },
      ],
    };
    await ask(
      modelRequest({
        messages: [
          { role: "user", text: "a" },
          { role: "assistant", text: "hm", toolCalls: [], raw },
          { role: "user", text: "b" },
        ],
      }),
    );
    expect((server.requests[0]!.body.messages as unknown[])[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "hm" }],
    });
  });

  test("leaves out an assistant message that is empty because its turn was cut off or refused", async () => {
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "ok" }] }));
    await ask(
      modelRequest({
        messages: [
          { role: "user", text: "a" },
          { role: "assistant", text: "", toolCalls: [] },
          { role: "user", text: "b" },
        ],
      }),
    );
    expect(server.requests[0]!.body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });

  test("replaces tool names that the provider would refuse, and translates them back", async () => {
    const name = `mcp__files__archive.v2/${"long".repeat(20)}`;
    const tools = [{ ...READ, name }];
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "x" }] }));
    await ask(modelRequest({ tools }));
    const wireName = (server.requests[0]!.body.tools as { name: string }[])[0]!.name;
    server.reply(
      anthropicAnswer({
        content: [{ type: "tool_use", id: "toolu_1", name: wireName, input: {} }],
        stop_reason: "tool_use",
      }),
    );
    const { turn } = await ask(modelRequest({ tools }));
    expect(turn.toolCalls[0]!.name).toBe(name);
  });
});

describe("the turn", () => {
  test.each([
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["refusal", "refused"],
    ["something_new", "other"],
  ])("that ended with %s is `%s`", async (stop_reason, finishReason) => {
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "x" }], stop_reason }));
    expect((await ask(modelRequest())).turn).toMatchObject({ finishReason, text: "x" });
  });

  test("counts cached tokens as part of the input, and says how many they are", async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 50, output_tokens: 5 };
    server.reply(anthropicAnswer({ content: [{ type: "text", text: "x" }], usage }));
    expect((await ask(modelRequest())).usage).toEqual({
      tokensIn: 960,
      tokensOut: 5,
      tokensInCacheRead: 900,
      tokensInCacheWrite: 50,
    });
  });

  test("marks a call that the token limit cut off, so that it is never made with half of its arguments", async () => {
    const content = [
      { type: "tool_use", id: "toolu_1", name: READ.name, input: { id: 7 } },
      { type: "tool_use", id: "toolu_2", name: READ.name, input: { id: 8 } },
    ];
    server.reply(anthropicAnswer({ content, stop_reason: "max_tokens" }));
    const { turn } = await ask(modelRequest({ tools: [READ] }));
    expect(turn.finishReason).toBe("length");
    expect(turn.toolCalls[0]).toEqual({ id: "toolu_1", name: READ.name, arguments: { id: 7 } });
    expect(turn.toolCalls[1]).toMatchObject({
      id: "toolu_2",
      arguments: {},
      malformed: { text: '{"id":8}', problem: expect.stringContaining("cut at the token limit") },
    });
  });

  test("carries no calls when the model declined", async () => {
    server.reply(
      anthropicAnswer({
        content: [{ type: "tool_use", id: "toolu_1", name: READ.name, input: {} }],
        stop_reason: "refusal",
      }),
    );
    expect((await ask(modelRequest({ tools: [READ] }))).turn).toMatchObject({ finishReason: "refused", toolCalls: [] });
  });
});

import { describe, expect, test } from "vitest";
import { RESERVED_PROPERTIES } from "@/lib/models/rules/reserved-fields";
import {
  createGatewayFixture,
  anthropicProvider,
  localProvider,
  modelRequest,
  openAIProvider,
} from "@/lib/testing/provider-servers/gateway-fixture";
import {
  anthropicAnswer,
  anthropicFailure,
  startAnthropicServer,
} from "@/lib/testing/provider-servers/anthropic-server";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import { openAIAnswer, outputText, startOpenAIServer } from "@/lib/testing/provider-servers/openai-server";
import type { JsonObject, ModelTool } from "./model";
import { describeOutput, toStructuredSchema } from "./output-format";

const SCHEMA: JsonObject = {
  type: "object",
  required: ["n"],
  properties: {
    n: { type: "number", minimum: 1 },
    tags: { type: "array", items: { type: "object", properties: { t: { type: "string" } } } },
  },
};
const TOOLS: ModelTool[] = [{ name: "mcp__a__b", description: "Looks.", inputSchema: { type: "object" } }];
const signal = new AbortController().signal;
const said = anthropicAnswer({ content: [{ type: "text", text: '{"n":1}' }] });

describe("structured output", () => {
  test("closes every object and leaves every reserved field possible", () => {
    const structured = toStructuredSchema(SCHEMA)!;
    expect(structured).toMatchObject({
      additionalProperties: false,
      required: ["n"],
      properties: { tags: { items: { additionalProperties: false } }, ...RESERVED_PROPERTIES },
    });
  });

  test("keeps what the author says of a reserved field", () => {
    const structured = toStructuredSchema({
      type: "object",
      required: ["ktsu_confidence"],
      properties: { ktsu_confidence: { type: "number", minimum: 0.5 }, ktsu_flags: false },
    })!;
    expect(structured).toMatchObject({
      required: ["ktsu_confidence"],
      properties: { ktsu_confidence: { minimum: 0.5 } },
    });
    expect(structured.properties).not.toHaveProperty("ktsu_flags");
  });

  test.each<[string, JsonObject]>([
    ["an object with any fields", { type: "object", properties: { any: { type: "object" } } }],
    ["fields by pattern", { type: "object", properties: {}, patternProperties: { "^x": {} } }],
    ["further fields of a type", { type: "object", properties: {}, additionalProperties: { type: "string" } }],
    ["a condition", { type: "object", properties: {}, if: {}, else: {} }],
    ["two schemas at once", { allOf: [SCHEMA, SCHEMA] }],
    [
      "more optional fields than providers take",
      {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`f${index}`, { type: "string" }])),
      },
    ],
  ])("is not used for %s, which the provider would drop", (_name, schema) => {
    expect(toStructuredSchema(schema)).toBeNull();
    expect(describeOutput(schema)).toContain(JSON.stringify(schema));
  });
});

describe("what each provider gets, together with tools", () => {
  const request = () => modelRequest({ outputSchema: { ...SCHEMA }, tools: TOOLS });

  test("Anthropic: its output format, several calls in one turn still allowed, and nothing in the system prompt", async () => {
    const server = await startAnthropicServer();
    server.reply(said);
    const { gateway } = createGatewayFixture({
      providers: [anthropicProvider(server.url)],
      group: { models: ["anthropic/claude-sonnet-4-5"] },
    });
    await gateway.generate("standard", request(), { signal });
    const { body } = server.requests[0]!;
    expect(body).toMatchObject({
      output_config: {
        format: {
          type: "json_schema",
          schema: { required: ["n"], properties: { ktsu_skip_reason: { type: "string" } } },
        },
      },
      tools: [{ name: "mcp__a__b" }],
    });
    expect([undefined, "auto"]).toContain((body.tool_choice as { type: string } | undefined)?.type);
    expect(JSON.stringify(body.system)).not.toContain("JSON Schema");
    await server.close();
  });

  test("an older Anthropic model, and a schema that structured output cannot express: text in the cached system prompt", async () => {
    const server = await startAnthropicServer();
    server.reply(said, said);
    const { gateway } = createGatewayFixture({
      providers: [anthropicProvider(server.url)],
      group: { models: ["anthropic/claude-3-5-haiku-latest"] },
    });
    await gateway.generate("standard", request(), { signal });
    await gateway.generate(
      "standard",
      modelRequest({ outputSchema: { type: "object", properties: {}, not: { required: ["a"] } } }),
      { signal },
    );
    for (const { body } of server.requests) {
      expect(body).not.toHaveProperty("output_config");
      expect(body.system).toEqual([
        {
          type: "text",
          text: expect.stringMatching(/^You sort mail\.\n\nWhen .*JSON Schema.*ktsu_skip_reason/s) as unknown,
          cache_control: { type: "ephemeral" },
        },
      ]);
    }
    expect(server.requests).toHaveLength(2);
    await server.close();
  });

  test("a model that refuses structured output gets text at once, is not asked that way again, and the turn says so", async () => {
    const server = await startAnthropicServer();
    server.reply(
      anthropicFailure(400, "invalid_request_error", "output_config: not supported together with tools"),
      said,
      said,
    );
    const { gateway } = createGatewayFixture({
      providers: [anthropicProvider(server.url)],
      group: { models: ["anthropic/claude-sonnet-4-5"] },
    });
    const asked = request();
    const first = await gateway.generate("standard", asked, { signal });
    const second = await gateway.generate("standard", asked, { signal });
    expect(server.requests.map(({ body }) => "output_config" in body)).toEqual([true, false, false]);
    expect([first, second].map(({ turn }) => turn.ignoredSettings)).toEqual([
      ["structured output"],
      ["structured output"],
    ]);
    await server.close();
  });

  test("OpenAI: a format that is not strict, so that no field must be filled in", async () => {
    const server = await startOpenAIServer();
    server.reply(openAIAnswer({ output: [outputText('{"n":1}')] }));
    const { gateway } = createGatewayFixture({
      providers: [openAIProvider(server.url)],
      group: { models: ["openai/gpt-test"] },
    });
    await gateway.generate("standard", request(), { signal });
    expect(server.requests[0]!.body).toMatchObject({
      text: { format: { type: "json_schema", strict: false, schema: { required: ["n"] } } },
      tools: [{ name: "mcp__a__b" }],
    });
    await server.close();
  });

  test("a server that is compatible with OpenAI: text in the prompt, and always a limit of tokens", async () => {
    const server = await startChatServer();
    server.reply(chatAnswer({ content: '{"n":1}' }));
    const { gateway } = createGatewayFixture({
      providers: [localProvider(server.url)],
      group: { models: ["local/m"] },
    });
    await gateway.generate("standard", { ...request(), maxTokens: null }, { signal });
    const { body } = server.requests[0]!;
    expect(body).not.toHaveProperty("response_format");
    expect(body.max_tokens).toBe(8_192);
    expect((body.messages as { role: string; content: string }[])[0]).toMatchObject({
      role: "system",
      content: expect.stringContaining(JSON.stringify(SCHEMA)) as unknown,
    });
    await server.close();
  });
});

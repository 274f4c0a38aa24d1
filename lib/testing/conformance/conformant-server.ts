/** An MCP server with the tools, resources and prompts that the conformance suite asks for by name. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, value: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: value },
});

const ANSWERS: Record<string, object> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { isError: true, content: [text("This tool intentionally returns an error for testing")] },
  test_x_mcp_header: { content: [text("The headers agree with the body.")] },
  json_schema_2020_12_tool: { content: [text("The arguments fit.")] },
};

const SCHEMAS: Record<string, object> = {
  test_x_mcp_header: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      count: { type: "integer", "x-mcp-header": "Count" },
    },
  },
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  },
};

const RESOURCES = [
  { uri: "test://static-text", name: "text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "binary", mimeType: "image/png" },
];

function readResource(uri: string): object {
  if (uri === "test://static-text")
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: PIXEL };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Resource not found", { uri });
  const value = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: "application/json", text: value };
}

const argument = (name: string) => ({ name, description: `Argument ${name}`, required: true });
const PROMPTS = [
  { name: "test_simple_prompt", description: "A prompt" },
  { name: "test_prompt_with_arguments", description: "A prompt", arguments: [argument("arg1"), argument("arg2")] },
  { name: "test_prompt_with_embedded_resource", description: "A prompt", arguments: [argument("resourceUri")] },
  { name: "test_prompt_with_image", description: "A prompt" },
];

function getPrompt(name: string, args: Record<string, string>): object[] {
  switch (name) {
    case "test_simple_prompt":
      return [text("This is a simple prompt for testing.")];
    case "test_prompt_with_arguments":
      return [text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)];
    case "test_prompt_with_embedded_resource":
      return [
        resource(args.resourceUri ?? "", "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ];
    case "test_prompt_with_image":
      return [image, text("Please analyze the image above.")];
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}`);
  }
}

function build(): Server {
  const server = new Server(
    { name: "conformant", version: "1" },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(ANSWERS).map((name) => ({
      name,
      description: `The tool ${name}`,
      inputSchema: (SCHEMAS[name] ?? { type: "object", properties: {} }) as { type: "object" },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }) => ANSWERS[params.name] as never);
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params }) => ({ contents: [readResource(params.uri) as never] }));
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", ({ params }) => ({
    messages: getPrompt(params.name, params.arguments ?? {}).map((content) => ({ role: "user", content })) as never,
  }));
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

/** Ends with the test. */
export async function startConformantServer(): Promise<string> {
  const handler = createMcpHandler(build);
  const http = createServer(async (message, reply) => {
    const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = message.method === "POST" ? await buffer(message) : undefined;
    const request = new Request(`http://127.0.0.1${message.url}`, { method: message.method!, headers, body: body! });
    const response = await handler.fetch(request);
    reply.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

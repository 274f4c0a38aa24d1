/** The tools of the recording server, and how each answers or fails. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { listAnnotatedTools } from "./annotated-tools";

/** Where a call ends without an answer: before the work was done, after it, or with an HTTP status instead. */
export type Breakage = "drop-before" | "drop-after" | "http-500";

export interface CallContext {
  arguments: Record<string, unknown>;
  headers: Record<string, string>;
}

export interface TestTool {
  definition: Tool;
  breakage?: Breakage;
  answer(context: CallContext): CallToolResult;
}

const anyObject: Tool["inputSchema"] = { type: "object" };
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function text(value: unknown): CallToolResult {
  return { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
}

/** Reports that it was done and with what, as any plain tool would. */
export function answerPlainly({ arguments: args }: CallContext): CallToolResult {
  return text({ done: true, arguments: args });
}

function simple(name: string, description: string, answer: TestTool["answer"], more: Partial<Tool> = {}): TestTool {
  return { definition: { name, description, inputSchema: anyObject, ...more }, answer };
}

function breaking(breakage: Breakage, description: string): TestTool {
  return { ...simple(breakage, description, answerPlainly), breakage };
}

const totalSchema: Tool["outputSchema"] = {
  type: "object",
  properties: { total: { type: "number" } },
  required: ["total"],
};

/** The defaults; a test adds, changes and removes tools through the control API. */
export function listTestTools(): TestTool[] {
  return [
    ...listAnnotatedTools().map((definition): TestTool => ({ definition, answer: answerPlainly })),
    simple("echo", "Gives its arguments back", ({ arguments: args }) => ({ ...text(args), structuredContent: args })),
    simple("slow", "Waits until the test releases it", answerPlainly),
    simple("fail-result", "Answers with isError", () => ({ ...text("the tool failed on purpose"), isError: true })),
    simple("fail-protocol", "Refuses with a JSON-RPC error", () => {
      throw new McpError(ErrorCode.InvalidParams, "the protocol failed on purpose");
    }),
    simple("fail-internal", "Answers with a JSON-RPC error that leaves open what was done", () => {
      throw new McpError(ErrorCode.InternalError, "the tool broke on purpose");
    }),
    breaking("http-500", "Answers with HTTP status 500, without having worked"),
    breaking("drop-before", "Ends the connection before its work"),
    breaking("drop-after", "Ends the connection after its work"),
    simple(
      "large-result",
      "Gives a text of the given length",
      ({ arguments: { length } }) => text("x".repeat(Number(length ?? 1_000_000))),
      {
        inputSchema: { type: "object", properties: { length: { type: "integer", minimum: 0 } } },
      },
    ),
    simple("echo-headers", "Gives the headers of the request back", ({ headers }) => text(headers)),
    simple(
      "echo-env",
      "Gives its process's environment variables of the given names",
      ({ arguments: { names } }) =>
        text(Object.fromEntries((names as string[]).map((name) => [name, process.env[name] ?? null]))),
      {
        inputSchema: {
          type: "object",
          properties: { names: { type: "array", items: { type: "string" } } },
          required: ["names"],
        },
      },
    ),
    simple(
      "structured",
      "Gives a structured result",
      () => ({ ...text({ total: 5 }), structuredContent: { total: 5 } }),
      { outputSchema: totalSchema },
    ),
    simple(
      "structured-invalid",
      "Gives a structured result that does not fit its own schema",
      () => ({ ...text("five"), structuredContent: { total: "five" } }),
      {
        outputSchema: totalSchema,
      },
    ),
    simple("blocks", "Gives a text, an image, a link and an embedded resource", () => ({
      content: [
        { type: "text", text: "four blocks" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
        { type: "resource_link", uri: "https://example.com/report", name: "report" },
        { type: "resource", resource: { uri: "memo://1", text: "a memo" } },
      ],
    })),
  ];
}

/** `kimitsu/http`: sends requests, guarded like every other request of this process. */
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type BuiltinTool, offerTool, refuse } from "@/lib/tools/builtin/builtin-tool";
import { REQUEST_BYTES_MAX } from "@/lib/tools/builtin/limits";
import { type Sender, sendRequest, type Sent } from "./send-request";

const url = z.string().max(8_192).describe("https:// or http:// address");
const headers = z.record(z.string(), z.string()).default({}).describe("Headers to send to this origin");
const data = z.json().optional().describe("Body: text as it is, anything else as JSON");

const answer = z.strictObject({
  url: z.string().describe("Where the answer came from"),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  encoding: z.enum(["utf8", "base64"]),
  truncated: z.boolean().describe("True: the answer is longer"),
});

const READS = { readOnlyHint: true, openWorldHint: true };
/** What a server does with it is not known, so `destructiveHint` is not denied. */
const WRITES = { readOnlyHint: false, openWorldHint: true };

const tool = <Input extends z.ZodObject>(
  facts: Pick<BuiltinTool<Input, typeof answer>, "name" | "title" | "description" | "annotations" | "input">,
): BuiltinTool<Input, typeof answer> => ({ ...facts, output: answer });

const httpGet = tool({
  name: "http_get",
  title: "Send a GET request",
  description: "Requests an address. Redirects are followed, each judged like a new request.",
  annotations: READS,
  input: z.strictObject({ url, headers }),
});
const httpPost = tool({
  name: "http_post",
  title: "Send a POST request",
  description: "Sends data to an address. A redirect is given back and not followed.",
  annotations: WRITES,
  input: z.strictObject({ url, data, headers }),
});
const httpPut = tool({
  name: "http_put",
  title: "Send a PUT request",
  description: "Puts data at an address. A redirect is given back and not followed.",
  annotations: WRITES,
  input: z.strictObject({ url, data, headers }),
});
const httpDelete = tool({
  name: "http_delete",
  title: "Send a DELETE request",
  description: "Deletes what is at an address. A redirect is given back and not followed.",
  annotations: WRITES,
  input: z.strictObject({ url, headers }),
});

export function openHttpServer(sender: Sender): McpServer {
  const server = new McpServer({ name: "kimitsu-http", version: "1.0.0" });
  offerTool(server, httpGet, async (input, { signal }) =>
    toAnswer(await sendRequest(sender, { ...input, method: "GET", body: null, signal })),
  );
  for (const [facts, method] of [
    [httpPost, "POST"],
    [httpPut, "PUT"],
  ] as const)
    offerTool(server, facts, async ({ url, data, headers }, { signal }) =>
      toAnswer(await sendRequest(sender, { url, method, ...toBody(data, headers), signal })),
    );
  offerTool(server, httpDelete, async (input, { signal }) =>
    toAnswer(await sendRequest(sender, { ...input, method: "DELETE", body: null, signal })),
  );
  return server;
}

function toBody(
  data: unknown,
  headers: Record<string, string>,
): { body: string | null; headers: Record<string, string> } {
  if (data === undefined) return { body: null, headers };
  const isText = typeof data === "string";
  const body = isText ? data : JSON.stringify(data);
  if (Buffer.byteLength(body) > REQUEST_BYTES_MAX) refuse(`The body is larger than ${REQUEST_BYTES_MAX} bytes.`);
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const type = isText ? "text/plain;charset=UTF-8" : "application/json";
  return { body, headers: isTyped ? headers : { ...headers, "content-type": type } };
}

function toAnswer({ url, status, headers, bytes, truncated }: Sent) {
  const text = readText(bytes, truncated);
  const shown = Object.fromEntries([...headers].filter(([name]) => name !== "set-cookie"));
  const body = text ?? bytes.toString("base64");
  const data = { url, status, headers: shown, body, encoding: text === null ? "base64" : "utf8", truncated } as const;
  return { data, text: `${status} ${url}\n\n${body}` };
}

/** Null for what is not text. A cut may split a character. */
export function readText(bytes: Buffer, isCut: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

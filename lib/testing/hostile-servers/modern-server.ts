/**
 * A server of protocol revision 2026-07-28, made with the SDK of that revision; keeps no sessions and records what it
 * is sent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { listenOnLoopback, readJsonBody } from "@/lib/demo/http";

export interface ModernServer {
  readonly url: string;
  readonly received: { method: string; headers: Record<string, unknown>; params: Record<string, unknown> }[];
  /** Adds a tool and notifies listeners. */
  addTool(name: string): void;
  close(): Promise<void>;
}

export async function startModernServer({
  legacy = "reject",
}: { legacy?: "stateless" | "reject" } = {}): Promise<ModernServer> {
  const received: ModernServer["received"] = [];
  const added: string[] = [];
  const handler = createMcpHandler(() => createTools(added), { legacy });
  const http = createServer(async (request, response) => {
    const body =
      request.method === "POST"
        ? ((await readJsonBody(request, 1024 * 1024)) as { method: string; params?: Record<string, unknown> })
        : undefined;
    received.push({ method: body?.method ?? request.method!, headers: request.headers, params: body?.params ?? {} });
    await answer(await handler.fetch(toRequest(request, body), { parsedBody: body }), response);
  });
  const port = await listenOnLoopback(http, 0);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    addTool: (name) => {
      added.push(name);
      handler.notify.toolsChanged();
    },
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function createTools(added: readonly string[]): McpServer {
  const server = new McpServer(
    { name: "modern", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.registerTool(
    "echo",
    {
      description: "Gives its text back",
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  server.registerTool(
    "wait",
    { description: "Never ends", inputSchema: z.object({}) },
    () => new Promise<never>(() => {}),
  );
  for (const name of added)
    server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: name }] }));
  return server;
}

function toRequest(request: IncomingMessage, body: unknown): Request {
  const headers = new Headers(
    Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method!,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function answer(from: Response, response: ServerResponse): Promise<void> {
  response.writeHead(from.status, Object.fromEntries(from.headers));
  if (!from.body) return void response.end();
  const body = Readable.fromWeb(from.body as ReadableStream);
  response.once("close", () => body.destroy());
  body.on("error", () => response.destroy()).pipe(response);
}

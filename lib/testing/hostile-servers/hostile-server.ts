/**
 * An MCP server without an SDK, so that it can break every rule: it answers the handshake and the list properly, or
 * with whatever a test gives it instead. Counts what reaches it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback, readJsonBody, sendJson } from "@/lib/demo/http";

export interface RpcMessage {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number };
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  message: RpcMessage;
  /** Answers properly. */
  reply(result: unknown): void;
}

export type Behaviour = (exchange: Exchange) => void | Promise<void>;

export interface HostileServer {
  readonly url: string;
  readonly origin: string;
  /** The methods of all messages, in order of arrival; `GET` for requests without one. */
  readonly seen: string[];
  /** The messages themselves. */
  readonly messages: RpcMessage[];
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 1024 * 1024;

/** `behaviours` by JSON-RPC method, or by HTTP method for requests without a message. */
export async function startHostileServer(behaviours: Record<string, Behaviour>): Promise<HostileServer> {
  const seen: string[] = [];
  const messages: RpcMessage[] = [];
  const requests: IncomingMessage[] = [];
  const http = createServer(async (request, response) => {
    const message = request.method === "POST" ? ((await readJsonBody(request, BODY_BYTES_MAX)) as RpcMessage) : {};
    const method = message.method ?? (request.method === "POST" ? "response" : request.method!);
    requests.push(request);
    seen.push(method);
    messages.push(message);
    const reply = (result: unknown) => sendJson(response, 200, { jsonrpc: "2.0", id: message.id, result });
    await (behaviours[method] ?? behave)({ request, response, message, reply });
  });
  const port = await listenOnLoopback(http, 0);
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/mcp`,
    origin,
    seen,
    messages,
    requests,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export const HARMLESS_TOOL = { name: "act", description: "Does something", inputSchema: { type: "object" } };

/** What a proper server of the older protocol would do. */
export function behave({ response, message, reply }: Exchange): void {
  switch (message.method) {
    case "initialize":
      return reply({
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "hostile", version: "1" },
      });
    case "tools/list":
      return reply({ tools: [HARMLESS_TOOL] });
    case "tools/call":
      return reply({ content: [{ type: "text", text: "done" }] });
    case "ping":
      return reply({});
    case undefined:
      return void response.writeHead(405).end();
    default:
      if (message.id === undefined) return void response.writeHead(202).end();
      return sendJson(response, 400, {
        jsonrpc: "2.0",
        id: message.id,
        error: { code: -32_601, message: "no such method" },
      });
  }
}

/** Writes pieces for as long as the other side reads. */
export async function pour(response: ServerResponse, piece: string | Buffer, bytes: number): Promise<number> {
  let sent = 0;
  while (sent < bytes && !response.destroyed) {
    sent += Buffer.byteLength(piece);
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        response.off("drain", goOn).off("close", goOn);
        resolve();
      };
      response.once("drain", goOn).once("close", goOn);
    });
  }
  return sent;
}

/** The MCP side of the recording server: one server and one transport per session, over either HTTP transport. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { sendRpcError } from "@/lib/demo/http";
import { McpSessions } from "@/lib/demo/mcp-sessions";
import { flattenHeaders } from "./messages";
import type { RecordingState } from "./state";

/** `stateless` gives no session ids and keeps nothing between requests. */
export type TransportKind = "http" | "stateless" | "sse";

export interface ProtocolSide {
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  /** Ends the connection on which the answer to this request would be sent. */
  drop(request: IncomingMessage): void;
  announceListChange(): Promise<void>;
  close(): Promise<void>;
}

export interface ProtocolOptions {
  name: string;
  transport: TransportKind;
  pageSize: number | undefined;
}

export function createProtocolSide(state: RecordingState, options: ProtocolOptions): ProtocolSide {
  const createServer = () => createToolServer(state, options);
  if (options.transport === "sse") return new SseSide(createServer);
  const sessions = new McpSessions(createServer);
  return {
    handle: (request, response, body) =>
      options.transport === "stateless"
        ? answerOnce(createServer(), request, response, body)
        : sessions.handle(request, response, body),
    drop: (request) => void request.socket.destroy(),
    announceListChange: async () =>
      void (await Promise.all(sessions.servers.map((server) => server.sendToolListChanged()))),
    close: () => sessions.close(),
  };
}

function createToolServer(state: RecordingState, { name, pageSize }: ProtocolOptions): Server {
  const server = new Server({ name, version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const tools = state.listTools();
    if (pageSize === undefined) return { tools };
    const start = Number(params?.cursor ?? 0);
    const end = start + pageSize;
    return { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: String(end) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestInfo }) => {
    const tool = state.findTool(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(params.name)}.`);
    await state.passGate(params.name);
    return tool.answer({ arguments: params.arguments ?? {}, headers: flattenHeaders(requestInfo?.headers ?? {}) });
  });
  return server;
}

async function answerOnce(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): Promise<void> {
  if (request.method !== "POST")
    return sendRpcError(response, 405, "This server keeps no sessions, so it only takes POST.");
  const transport = new StreamableHTTPServerTransport({});
  response.once("close", () => void transport.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}

/**
 * HTTP+SSE of protocol 2024-11-05: GET opens the stream on which answers come, POST to the address it names brings
 * messages.
 */
class SseSide implements ProtocolSide {
  readonly #streams = new Map<string, { server: Server; transport: SSEServerTransport; response: ServerResponse }>();

  constructor(private readonly createServer: () => Server) {}

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const session = sessionOf(request);
    if (request.method === "GET" && session === null) return this.#open(response);
    // What a server that has only this transport answers to a client that tries Streamable HTTP first.
    if (request.method !== "POST" || session === null)
      return sendRpcError(response, 405, "GET opens the stream; messages go to the address it names.");
    const stream = this.#streams.get(session);
    if (!stream) return sendRpcError(response, 404, "This session does not exist or has ended.");
    return stream.transport.handlePostMessage(request, response, body);
  }

  drop(request: IncomingMessage): void {
    this.#streams.get(sessionOf(request) ?? "")?.response.destroy();
    request.socket.destroy();
  }

  async announceListChange(): Promise<void> {
    await Promise.all([...this.#streams.values()].map(({ server }) => server.sendToolListChanged()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#streams.values()].map(({ transport }) => transport.close()));
  }

  async #open(response: ServerResponse): Promise<void> {
    const server = this.createServer();
    const transport = new SSEServerTransport("/mcp", response);
    this.#streams.set(transport.sessionId, { server, transport, response });
    response.once("close", () => this.#streams.delete(transport.sessionId));
    await server.connect(transport);
  }
}

/** In a header with Streamable HTTP, in the address with HTTP+SSE. */
export function sessionOf(request: IncomingMessage): string | null {
  const header = request.headers["mcp-session-id"];
  if (typeof header === "string") return header;
  return new URL(request.url ?? "/", "http://localhost").searchParams.get("sessionId");
}

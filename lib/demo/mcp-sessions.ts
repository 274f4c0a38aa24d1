/**
 * Streamable HTTP sessions. Each has a server and a transport of its own: with a shared one, the answer to one client
 * can be sent to another.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { sendRpcError } from "./http";

/**
 * Clients that disappear do not end their session, so the one unused for longest is dropped when there are too many.
 */
const SESSIONS_MAX = 500;

interface Session {
  server: Server;
  transport: StreamableHTTPServerTransport;
}

export class McpSessions {
  readonly #sessions = new Map<string, Session>();

  constructor(
    private readonly createServer: () => Server,
    private readonly sessionsMax = SESSIONS_MAX,
  ) {}

  get servers(): Server[] {
    return [...this.#sessions.values()].map(({ server }) => server);
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string") {
      const session = this.#sessions.get(id);
      if (!session)
        return sendRpcError(response, 404, "This session does not exist or has ended; initialize a new one.");
      // A map keeps the order of insertion, so a reinserted session is the last to be dropped.
      this.#sessions.delete(id);
      this.#sessions.set(id, session);
      return session.transport.handleRequest(request, response, body);
    }
    if (request.method !== "POST" || !isInitializeRequest(body)) {
      return sendRpcError(response, 400, "Without an Mcp-Session-Id header only `initialize` is answered.");
    }
    const transport = await this.#open();
    return transport.handleRequest(request, response, body);
  }

  async #open(): Promise<StreamableHTTPServerTransport> {
    const server = this.createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { server, transport });
        const [unused] = this.#sessions.values();
        if (this.#sessions.size > this.sessionsMax) void unused?.transport.close();
      },
    });
    transport.onclose = () => void (transport.sessionId && this.#sessions.delete(transport.sessionId));
    await server.connect(transport);
    return transport;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }
}

/** A tool server over HTTP whose one tool is slow, as most real ones are. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

export interface SlowServer {
  url: string;
  /** When each call was answered, by `performance.now()`. */
  answeredAt: number[];
  close(): void;
}

/** `onCall` is called for each call as it arrives; without a port it uses a free one. */
export async function startSlowServer(
  tookMs: number,
  onCall: (text: string) => void = () => undefined,
  port = 0,
): Promise<SlowServer> {
  const answeredAt: number[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.registerTool("act", { description: "Acts", inputSchema: { text: z.string() } }, async ({ text }) => {
      onCall(text);
      if (tookMs > 0) await delay(tookMs);
      answeredAt.push(performance.now());
      return { content: [{ type: "text", text: `${text}ed` }] };
    });
    await server.connect(transport as never);
    return transport;
  }

  const http = createServer((request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    void (known ? Promise.resolve(known) : openSession()).then((transport) =>
      transport.handleRequest(request, response),
    );
  });
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  const close = () => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, answeredAt, close };
}

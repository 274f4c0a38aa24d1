/** The demo's tool server: MCP at /mcp behind an API key, and an endpoint for the demo's webhooks at /hooks. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { HttpRefusal, listenOnLoopback, readJsonBody, refuseForeignHost, sendJson, sendRpcError } from "./http";
import { McpSessions } from "./mcp-sessions";
import { ShopRefusal } from "./shop-books";
import type { ShopStore } from "./shop-store";
import { SHOP_TOOLS } from "./shop-tools";

const BODY_BYTES_MAX = 256 * 1024;
const HOOKS_KEPT = 100;

export interface ShopServer {
  port: number;
  close(): Promise<void>;
}

export async function startShopServer({
  port,
  apiKey,
  store,
}: {
  port: number;
  apiKey: string;
  store: ShopStore;
}): Promise<ShopServer> {
  const sessions = new McpSessions(() => createShop(store));
  const receiveHook = createHookReceiver();
  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof HttpRefusal) return sendRpcError(response, error.status, error.message);
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      sendRpcError(response, 500, "The shop failed; its standard error says why.");
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseForeignHost(request);
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/hooks" || pathname.startsWith("/hooks/")) return receiveHook(request, response, pathname);
    if (pathname !== "/mcp") throw new HttpRefusal(404, `There is nothing at ${pathname}; the shop is at /mcp.`);
    if (!isSameKey(request.headers["x-api-key"], apiKey))
      throw new HttpRefusal(401, "The X-Api-Key header is missing or wrong.");
    const body = request.method === "POST" ? await readJsonBody(request, BODY_BYTES_MAX) : undefined;
    return sessions.handle(request, response, body);
  }

  const listening = await listenOnLoopback(http, port);
  return {
    port: listening,
    close: async () => {
      await sessions.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function createShop(store: ShopStore): Server {
  const server = new Server({ name: "shop", title: "Demo shop", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: SHOP_TOOLS.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callShopTool(store, params.name, params.arguments ?? {}),
  );
  return server;
}

function describeTool({ name, title, description, annotations, input }: (typeof SHOP_TOOLS)[number]): Tool {
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: z.toJSONSchema(input, { io: "input" }) as Tool["inputSchema"],
  };
}

/** What the model can correct is a result with `isError`; only a tool that does not exist is a protocol error. */
function callShopTool(store: ShopStore, name: string, args: Record<string, unknown>): CallToolResult {
  const tool = SHOP_TOOLS.find((each) => each.name === name);
  if (!tool)
    throw new McpError(
      ErrorCode.InvalidParams,
      `The shop has no tool ${JSON.stringify(name)}; it has ${SHOP_TOOLS.map((each) => each.name).join(", ")}.`,
    );
  const parsed = tool.input.safeParse(args);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
    return refuse(`${name} was not run. ${problems.join("; ")}.`);
  }
  try {
    const result = tool.run(store, parsed.data as never, new Date());
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    if (error instanceof ShopRefusal) return refuse(error.message);
    throw error;
  }
}

function refuse(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

/** Digests have one length, so the comparison takes the same time whatever was sent. */
function isSameKey(given: string | string[] | undefined, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return typeof given === "string" && timingSafeEqual(digest(given), digest(expected));
}

function createHookReceiver() {
  const received: { at: string; path: string; body: unknown }[] = [];
  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    if (request.method === "GET" && path === "/hooks") return sendJson(response, 200, { hooks: received });
    if (request.method !== "POST" || path === "/hooks")
      throw new HttpRefusal(405, "POST to /hooks/<name>, or GET /hooks for what has come.");
    const body = await readJsonBody(request, BODY_BYTES_MAX);
    received.push({ at: new Date().toISOString(), path, body: body ?? null });
    if (received.length > HOOKS_KEPT) received.shift();
    sendJson(response, 202, { received: true });
  };
}

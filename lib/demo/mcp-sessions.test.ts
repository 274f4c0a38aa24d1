import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { afterEach, expect, test } from "vitest";
import { listenOnLoopback, readJsonBody } from "./http";
import { McpSessions } from "./mcp-sessions";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(sessionsMax: number) {
  const sessions = new McpSessions(() => new Server({ name: "test", version: "1" }, { capabilities: {} }), sessionsMax);
  const http = createServer(async (request, response) => {
    void sessions.handle(
      request,
      response,
      request.method === "POST" ? await readJsonBody(request, 10_000) : undefined,
    );
  });
  const url = new URL(`http://127.0.0.1:${await listenOnLoopback(http, 0)}`);
  cleanups.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  const connect = async () => {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(url);
    await client.connect(transport);
    cleanups.push(() => client.close());
    return { client, transport };
  };
  return { sessions, connect, url };
}

test("each session has a server of its own", async () => {
  const { sessions, connect } = await start(5);
  await connect();
  await connect();
  expect(new Set(sessions.servers).size).toBe(2);
});

test("too many sessions end the one that was unused for longest", async () => {
  const { connect, sessions } = await start(2);
  const [first, second] = [await connect(), await connect()];
  await first.client.ping();
  await connect();
  expect(sessions.servers).toHaveLength(2);
  await first.client.ping();
  await expect(second.client.ping()).rejects.toThrow("does not exist or has ended");
});

test("a session ended by its client is forgotten", async () => {
  const { connect, sessions } = await start(2);
  const { transport } = await connect();
  await transport.terminateSession();
  expect(sessions.servers).toEqual([]);
});

test("a request without a session that is not `initialize` is refused with what would be correct", async () => {
  const { url } = await start(2);
  const response = await fetch(url, { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining("only `initialize` is answered") },
  });
});

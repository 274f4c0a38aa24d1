/** Only the answer to the request that carried a call counts for it, whatever else happens on the same connection. */
import { setImmediate as turn } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { behave, type Behaviour, startHostileServer } from "@/lib/testing/hostile-servers/hostile-server";
import { testPool, testServer } from "@/lib/testing/hostile-servers/tool-server";
import { callTool } from "./call-tool";

const cleanup: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

const EVENTS = { "content-type": "text/event-stream" };

/**
 * A server that has done the work of the first call and holds back its answer; it refuses all other requests as the
 * test says.
 */
async function holdFirstCall(others: Record<string, Behaviour>) {
  const held = Promise.withResolvers<ServerResponse>();
  let count = 0;
  const server = await startHostileServer({
    ...others,
    "tools/call": (exchange) => {
      count += 1;
      if (count > 1) return (others["tools/call"] ?? behave)(exchange);
      exchange.response.writeHead(200, EVENTS).write(": begun\n\n");
      held.resolve(exchange.response);
    },
  });
  cleanup.push(() => server.close());
  let now = 1_000_000;
  const pool = testPool({ now: () => now });
  cleanup.push(() => pool.close());
  const call = (callId: string) =>
    callTool(pool, testServer(server.url), { tool: "act", arguments: {}, fingerprint: null, callId });
  const first = call("call_1");
  const response = await held.promise;
  return { server, pool, first, response, call, later: (ms: number) => (now += ms) };
}

test.each([401, 403, 404, 405])(
  verifies(
    "calls:outcomes",
    "another call on the same connection that is answered HTTP %i says nothing about this one",
  ),
  async (status) => {
    const { first, response, call } = await holdFirstCall({
      "tools/call": ({ response: other }) => void other.writeHead(status).end(),
    });
    expect(await call("call_2")).toMatchObject({ kind: "answered", result: { is_error: true } });
    response.destroy();
    expect(await first).toMatchObject({ kind: "unknown" });
  },
);

test(
  verifies("calls:outcomes", "nor does a refused ping, a refused list or the refused stream of announcements"),
  async () => {
    let isRefusing = false;
    const refuse: Behaviour = (exchange) =>
      isRefusing ? void exchange.response.writeHead(404).end() : behave(exchange);
    const { server, first, response, pool, later } = await holdFirstCall({
      ping: refuse,
      "tools/list": refuse,
      GET: refuse,
    });
    isRefusing = true;
    later(60_000);
    await expect(pool.listTools(testServer(server.url), { ageMaxMs: 0 })).rejects.toThrow();
    expect(server.seen.filter((method) => method === "ping" || method === "tools/list").length).toBeGreaterThan(1);
    response.destroy();
    expect(await first).toMatchObject({ kind: "unknown" });
  },
);

test("a call that is answered while others are refused keeps its answer", async () => {
  const { first, server, response, call } = await holdFirstCall({
    "tools/call": ({ response: other }) => void other.writeHead(403).end(),
  });
  await call("call_2");
  await turn();
  const { id } = server.messages.find(({ method }) => method === "tools/call")!;
  response.end(
    `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } })}\n\n`,
  );
  expect(await first).toMatchObject({ kind: "answered", result: { output: "done" } });
});

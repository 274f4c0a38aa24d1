import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { annotatedToolName, UNANNOTATED_TOOL } from "./recording/annotated-tools";
import type { RecordingServerOptions } from "./recording/http-side";
import { readRecording } from "./recording/recorded";
import { startRecordingProcess, startRecordingServer } from "./recording-server";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options?: RecordingServerOptions) {
  const server = await startRecordingServer(options);
  cleanups.push(() => server.close());
  return server;
}

async function connect(url: string, headers: Record<string, string> = {}, transport: "http" | "sse" = "http") {
  const client = new Client({ name: "test", version: "1" });
  const options = { requestInit: { headers } };
  await client.connect(
    transport === "sse"
      ? new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), options),
  );
  cleanups.push(() => client.close());
  return client;
}

const text = (result: unknown) => ((result as CallToolResult).content[0] as { text: string }).text;

describe.each(["http", "sse"] as const)("over %s", (transport) => {
  test("every call is recorded with arguments, headers, _meta and session", async () => {
    const server = await start({ transport });
    const client = await connect(server.url, { "X-Api-Key": "k-1" }, transport);
    await client.callTool({ name: "echo", arguments: { n: 1 }, _meta: { "dev.kimitsu/params": { region: "eu" } } });
    const [call, ...others] = await server.calls();
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      tool: "echo",
      arguments: { n: 1 },
      meta: { "dev.kimitsu/params": { region: "eu" } },
      headers: { "x-api-key": "k-1" },
      session: expect.stringMatching(/./),
      performed: true,
    });
    const initialize = (await server.received()).find(({ method }) => method === "initialize");
    expect(initialize).toMatchObject({ headers: { "x-api-key": "k-1" }, params: { clientInfo: { name: "test" } } });
  });

  test("a held call is recorded, and answers only when released", async () => {
    const server = await start({ transport });
    const client = await connect(server.url, {}, transport);
    let isAnswered = false;
    const call = client.callTool({ name: "slow" }).then(() => (isAnswered = true));
    await server.waitForCalls("slow");
    await client.callTool({ name: "echo" });
    expect(isAnswered).toBe(false);
    await server.release("slow");
    await call;
  });

  test("a tool that drops the connection has been called exactly once, and performed only when it worked first", async () => {
    const server = await start({ transport });
    const client = await connect(server.url, {}, transport);
    const other = await connect(server.url, {}, transport);
    await expect(client.callTool({ name: "drop-after" }, undefined, { timeout: 300 })).rejects.toThrow();
    await expect(other.callTool({ name: "drop-before" }, undefined, { timeout: 300 })).rejects.toThrow();
    expect((await server.calls()).map(({ tool, performed }) => [tool, performed])).toEqual([
      ["drop-after", true],
      ["drop-before", false],
    ]);
  });

  test("a changed definition is announced and then listed", async () => {
    const server = await start({ transport });
    const client = await connect(server.url, {}, transport);
    await client.ping();
    const announced = new Promise<void>((resolve) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
    );
    if (transport === "http") await waitForStream(server);
    await server.change({ name: "echo", description: "now different" });
    await announced;
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "echo")).toMatchObject({
      description: "now different",
      inputSchema: { type: "object" },
    });
    await server.remove("echo");
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("echo");
  });
});

/**
 * Notifications are sent on the stream that the client opens by itself after connecting; the GET is recorded when it
 * arrives.
 */
async function waitForStream(server: Awaited<ReturnType<typeof start>>): Promise<void> {
  await expect.poll(async () => (await server.received()).some(({ method }) => method === "GET")).toBe(true);
}

describe("the tools", () => {
  test("cover every combination of annotations, and none at all", async () => {
    const client = await connect((await start()).url);
    const { tools } = await client.listTools();
    const annotated = tools.filter(({ name }) => name.startsWith("t-ro"));
    expect(annotated).toHaveLength(81);
    expect(new Set(annotated.map(({ annotations }) => JSON.stringify(annotations))).size).toBe(81);
    for (const { name, annotations } of annotated) expect(annotatedToolName(annotations!)).toBe(name);
    expect(tools.find(({ name }) => name === "t-ro1-de0-id1-ow-")!.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    });
    expect(tools.find(({ name }) => name === UNANNOTATED_TOOL)).not.toHaveProperty("annotations");
  });

  test("fail as their names say", async () => {
    const client = await connect((await start()).url);
    await client.listTools();
    expect(await client.callTool({ name: "fail-result" })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: "fail-protocol" })).rejects.toThrow("the protocol failed on purpose");
    await expect(client.callTool({ name: "http-500" })).rejects.toThrow("breaks on purpose");
    await expect(client.callTool({ name: "structured-invalid" })).rejects.toThrow("output schema");
    await expect(client.callTool({ name: "no-such-tool" })).rejects.toThrow("There is no tool");
  });

  test("give structured, large and mixed results", async () => {
    const client = await connect((await start()).url, { "X-Seen": "yes" });
    expect(await client.callTool({ name: "structured" })).toMatchObject({ structuredContent: { total: 5 } });
    expect(text(await client.callTool({ name: "large-result", arguments: { length: 2_000_000 } }))).toHaveLength(
      2_000_000,
    );
    expect(((await client.callTool({ name: "blocks" })) as CallToolResult).content.map(({ type }) => type)).toEqual([
      "text",
      "image",
      "resource_link",
      "resource",
    ]);
    expect(JSON.parse(text(await client.callTool({ name: "echo-headers" })))).toMatchObject({ "x-seen": "yes" });
  });

  test("come in pages when asked to", async () => {
    const client = await connect(
      (await start({ pageSize: 50, tools: [{ name: "extra", inputSchema: { type: "object" } }] })).url,
    );
    const first = await client.listTools();
    expect(first.tools).toHaveLength(50);
    const second = await client.listTools({ cursor: first.nextCursor! });
    expect(second.nextCursor).toBeUndefined();
    expect(second.tools.at(-1)!.name).toBe("extra");
  });
});

describe("a faulty server", () => {
  test("answers with a status for one method only, and recovers", async () => {
    const server = await start();
    const client = await connect(server.url);
    await server.ail({ illness: { kind: "status", status: 503, retryAfterS: 2 }, methods: ["tools/list"] });
    await expect(client.listTools()).rejects.toThrow("ill on purpose");
    expect(text(await client.callTool({ name: "echo" }))).toBe("{}");
    await server.ail(null);
    expect((await client.listTools()).tools.length).toBeGreaterThan(80);
  });

  test("closes the connection, and what it refused is recorded as not performed", async () => {
    const server = await start();
    const client = await connect(server.url);
    await server.ail({ illness: { kind: "hang-up" } });
    await expect(client.callTool({ name: "echo" })).rejects.toThrow();
    expect(await server.calls("echo")).toMatchObject([{ performed: false }]);
  });

  test("redirects clients to a place that records what they send", async () => {
    const [server, elsewhere] = [await start(), await start()];
    await server.ail({ illness: { kind: "redirect", to: elsewhere.url } });
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "X-Api-Key": "k" },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(response.url).toBe(elsewhere.url);
    expect(await elsewhere.received()).toMatchObject([{ method: "ping", headers: { "x-api-key": "k" } }]);
  });
});

test("a missing credential is refused and recorded", async () => {
  const server = await start({ requireHeader: { name: "X-Api-Key", value: "right" } });
  await expect(connect(server.url, { "X-Api-Key": "wrong" })).rejects.toThrow("X-Api-Key is missing or wrong");
  await connect(server.url, { "X-Api-Key": "right" });
  expect(
    (await server.received()).filter(({ method }) => method === "initialize").map(({ performed }) => performed),
  ).toEqual([false, true]);
});

test("a stateless server answers calls without a session", async () => {
  const server = await start({ transport: "stateless" });
  const client = await connect(server.url);
  expect(text(await client.callTool({ name: "echo", arguments: { a: 1 } }))).toBe('{"a":1}');
  expect(await server.calls("echo")).toMatchObject([{ session: null }]);
});

test("an SSE server refuses Streamable HTTP, so that a client must fall back", async () => {
  const server = await start({ transport: "sse" });
  await expect(connect(server.url)).rejects.toThrow();
  await connect(server.url, {}, "sse");
});

test("a tool of an SSE server that drops the connection ends the stream on which its answer would come", async () => {
  const server = await start({ transport: "sse" });
  const stream = (await fetch(server.url, { headers: { accept: "text/event-stream" } })).body!.getReader();
  const [, address] = /data: (\S+)/.exec(new TextDecoder().decode((await stream.read()).value)) ?? [];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "drop-after" } });
  await expect(fetch(new URL(address!, server.url), { method: "POST", body })).rejects.toThrow();
  await expect(stream.read()).rejects.toThrow();
  expect(await server.calls()).toMatchObject([
    { tool: "drop-after", performed: true, session: expect.stringMatching(/./) },
  ]);
});

test("calls that do not arrive are reported with those that did", async () => {
  const server = await start();
  const client = await connect(server.url);
  await client.callTool({ name: "echo" });
  await expect(server.waitForCalls("structured", 1, 50)).rejects.toThrow(
    /structured was not called 1 times[\s\S]*tools\/call echo/,
  );
  await server.reset();
  expect(await server.received()).toEqual([]);
});

test("two sessions at once each get their own answers", async () => {
  const server = await start();
  const clients = await Promise.all([1, 2, 3].map(() => connect(server.url)));
  const answers = await Promise.all(clients.map((client, n) => client.callTool({ name: "echo", arguments: { n } })));
  expect(answers.map(text)).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
  expect(new Set((await server.calls()).map(({ session }) => session)).size).toBe(3);
});

describe("as its own process", () => {
  test("the file keeps every call over SIGKILL and a restart on the same port", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kimitsu-recording-"));
    cleanups.push(() => rm(folder, { recursive: true }));
    const file = path.join(folder, "calls.jsonl");
    const first = await startRecordingProcess({ file, env: { SHOWN: "yes" } });
    const client = await connect(first.url);
    expect(
      JSON.parse(text(await client.callTool({ name: "echo-env", arguments: { names: ["SHOWN", "AUTH_SECRET"] } }))),
    ).toEqual({ SHOWN: "yes", AUTH_SECRET: null });
    const lost = client.callTool({ name: "slow" }, undefined, { timeout: 300 });
    await first.waitForCalls("slow");
    await Promise.all([expect(lost).rejects.toThrow(), first.kill()]);
    const second = await startRecordingProcess({ file, port: first.port });
    cleanups.push(() => second.close());
    await (await connect(second.url)).callTool({ name: "echo" });
    expect(
      readRecording(file)
        .filter(({ method }) => method === "tools/call")
        .map(({ tool }) => tool),
    ).toEqual(["echo-env", "slow", "echo"]);
    expect(await second.calls()).toHaveLength(1);
  });
});

import { createSecretKey } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { verifies } from "@/e2e/requirements";
import { SecretRef } from "@/lib/config/secret-ref";
import { EVERYTHING_COMMAND, startEverythingServer } from "@/lib/testing/hostile-servers/everything-server";
import { startModernServer } from "@/lib/testing/hostile-servers/modern-server";
import { testPool, testServer, type TestServerOptions } from "@/lib/testing/hostile-servers/tool-server";
import { startRecordingServer } from "@/lib/testing/recording-server";
import type { RecordingServerOptions } from "@/lib/testing/recording/http-side";
import { callTool, type ToolCallRequest } from "./call-tool";
import type { ToolList } from "./list-tools";
import type { ToolPoolOptions } from "./tool-pool";
import { connectionKey } from "./tool-server";

const cleanup: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

function pooled(options: Partial<ToolPoolOptions> = {}) {
  const pool = testPool(options);
  cleanup.push(() => pool.close());
  return pool;
}

async function record(options: RecordingServerOptions = {}) {
  const server = await startRecordingServer(options);
  cleanup.push(() => server.close());
  return server;
}

function asking(
  tool: string,
  args: Record<string, unknown> = {},
  more: Partial<ToolCallRequest> = {},
): ToolCallRequest {
  return { tool, arguments: args, fingerprint: null, callId: "call_test", ...more };
}

describe("lists", () => {
  test.each(["http", "stateless", "sse"] as const)(
    "a list in pages over %s is read whole, and its hash does not depend on the order",
    async (transport) => {
      const paged = await record({ transport, pageSize: 7 });
      const whole = await record({ transport });
      const pool = pooled();
      const [left, right] = await Promise.all([
        pool.listTools(testServer(paged.url)),
        pool.listTools(testServer(whole.url)),
      ]);
      expect(left.tools.length).toBeGreaterThan(90);
      expect(left.hash).toBe(right.hash);
      expect((await paged.received()).filter((entry) => entry.method === "tools/list").length).toBeGreaterThan(10);
    },
  );

  test("a list is kept until refresh, and read again after it", async () => {
    const recording = await record({ transport: "stateless" });
    let now = 1_000;
    const pool = pooled({ now: () => now });
    const server = testServer(recording.url, { fields: { refresh: "1m" } });
    const fetches = async () => (await recording.received()).filter((entry) => entry.method === "tools/list").length;
    await Promise.all([pool.listTools(server), pool.listTools(server)]);
    now += 59_000;
    await pool.listTools(server);
    expect(await fetches()).toBe(1);
    now += 2_000;
    await pool.listTools(server);
    expect(await fetches()).toBe(2);
  });

  test.each(["http", "sse"] as const)("a change that a server announces over %s is read at once", async (transport) => {
    const recording = await record({ transport });
    const heard = Promise.withResolvers<ToolList>();
    const pool = pooled({ onListChanged: (_name, list) => heard.resolve(list) });
    const server = testServer(recording.url);
    const before = await pool.listTools(server);
    // Streamable HTTP opens its stream of announcements after the handshake, without waiting for it.
    if (transport === "http")
      await expect.poll(async () => (await recording.received()).some((entry) => entry.method === "GET")).toBe(true);
    await recording.change({ name: "echo", description: "Something else" });
    const list = await heard.promise;
    expect(list.hash).not.toBe(before.hash);
    expect((await pool.listTools(server)).hash).toBe(list.hash);
  });
});

describe("connections", () => {
  test("different params or credentials never share a connection", async () => {
    const recording = await record();
    const pool = pooled();
    const uses: TestServerOptions[] = [
      { secret: "SENTINEL-a" },
      { secret: "SENTINEL-b" },
      { secret: "SENTINEL-a", params: { tenant: 1 } },
      { secret: "SENTINEL-a" },
    ];
    for (const use of uses) await callTool(pool, testServer(recording.url, use), asking("echo"));
    const calls = await recording.calls();
    expect(calls.map((call) => call.headers["x-api-key"])).toEqual([
      "SENTINEL-a",
      "SENTINEL-b",
      "SENTINEL-a",
      "SENTINEL-a",
    ]);
    expect(new Set(calls.map((call) => call.session)).size).toBe(3);
    expect(calls[0]!.session).toBe(calls[3]!.session);
    const key = createSecretKey(Buffer.alloc(32));
    expect(connectionKey(testServer(recording.url, uses[0]), key)).not.toContain("SENTINEL");
    // A literal secret is not among the params, so only the header distinguishes the two.
    const plain = testServer(recording.url);
    const withLiteral = (secret: string) => ({
      ...plain,
      resolved: { ...plain.resolved, auth: { header: "X-Api-Key", value: SecretRef.literal(secret) } },
    });
    expect(connectionKey(withLiteral("a"), key)).not.toBe(connectionKey(withLiteral("b"), key));
    expect(connectionKey(withLiteral("a"), key)).toBe(connectionKey(withLiteral("a"), key));
  });

  test("an unused connection is closed, and its session is ended", async () => {
    const recording = await record();
    let now = 1_000;
    const pool = pooled({ idleCloseMs: 20, now: () => now });
    await pool.listTools(testServer(recording.url));
    now += 60_000;
    await expect.poll(async () => (await recording.received()).some((entry) => entry.method === "DELETE")).toBe(true);
  });

  test("a session that the server has forgotten is replaced before the call, which then arrives once", async () => {
    const first = await startRecordingServer();
    let now = 1_000;
    const pool = pooled({ now: () => now });
    const server = testServer(first.url);
    await callTool(pool, server, asking("echo"));
    await first.close();
    const second = await record({ port: first.port });
    now += 10_000;
    expect(await callTool(pool, server, asking("echo"))).toMatchObject({ kind: "answered", result: { success: true } });
    expect(await second.calls()).toHaveLength(1);
  });

  test("a session on which a call was lost is not used again, however soon the next call comes", async () => {
    const recording = await record();
    const pool = pooled({ now: () => 1_000 });
    const server = testServer(recording.url);
    await pool.listTools(server);
    await expect.poll(async () => (await recording.received()).some((entry) => entry.method === "GET")).toBe(true);
    await recording.ail({ illness: { kind: "hang-up" }, methods: ["tools/call"] });
    expect(await callTool(pool, server, asking("echo"))).toMatchObject({ kind: "unknown" });
    await recording.ail(null);
    expect(await callTool(pool, server, asking("echo"))).toMatchObject({ kind: "answered" });
    const sessions = new Set((await recording.calls("echo")).map((call) => call.session));
    expect(sessions.size).toBe(2);
  });

  test("params_transport: config puts the params where older servers look, and nowhere else", async () => {
    const recording = await record();
    const server = testServer(recording.url, { fields: { params_transport: "config" }, params: { region: "eu" } });
    await callTool(pooled(), server, asking("echo"));
    const received = await recording.received();
    expect(received.find((entry) => entry.method === "initialize")).toMatchObject({
      params: { config: { region: "eu" } },
      meta: null,
    });
    expect(JSON.stringify((await recording.calls())[0]!.params)).not.toContain("region");
  });

  test("after close nothing more is sent", async () => {
    const recording = await record();
    const pool = testPool();
    await pool.listTools(testServer(recording.url));
    await pool.close();
    expect(await callTool(pool, testServer(recording.url), asking("echo"))).toMatchObject({ kind: "not_sent" });
    expect(await recording.calls()).toEqual([]);
  });

  test("a private address that is not allowed is refused without a connection", async () => {
    const recording = await record();
    const outcome = await callTool(pooled({ allowHosts: [] }), testServer(recording.url), asking("echo"));
    expect(outcome).toMatchObject({ kind: "not_sent", reason: "refused", retryable: false });
    expect((outcome as { error: Error }).error.message).toContain("KIMITSU_ALLOW_HOSTS");
    expect(await recording.received()).toEqual([]);
  });

  test.each([
    ["a credential", { secret: "s3cret-value" }],
    ["a secret param", { secretParams: { pin: "s3cret-value" } }],
  ])("%s does not go to a public host over plain http", async (_what, options) => {
    const outcome = await callTool(pooled(), testServer("http://tools.invalid/mcp", options), asking("echo"));
    expect(outcome).toMatchObject({
      kind: "not_sent",
      reason: "refused",
      retryable: false,
      error: { message: expect.stringContaining("over plain http") },
    });
  });
});

describe("revision 2026-07-28", () => {
  test.each(["reject", "stateless"] as const)(
    "a server that keeps no sessions (older clients: %s) gets params with every call",
    async (legacy) => {
      const modern = await startModernServer({ legacy });
      cleanup.push(() => modern.close());
      const pool = pooled();
      const server = testServer(modern.url, { secret: "SENTINEL-modern", params: { region: "eu" } });
      const list = await pool.listTools(server);
      expect(list).toMatchObject({ protocolVersion: "2026-07-28" });
      expect(await callTool(pool, server, asking("echo", { text: "hi" }))).toMatchObject({
        kind: "answered",
        result: { success: true, output: "hi" },
      });
      const calls = modern.received.filter((entry) => entry.method === "tools/call");
      expect(calls).toHaveLength(1);
      expect(calls[0]!.params._meta).toMatchObject({
        "dev.kimitsu/params": { region: "eu" },
        "dev.kimitsu/call_id": "call_test",
      });
      expect(calls[0]!.headers).toMatchObject({
        "mcp-method": "tools/call",
        "mcp-name": "echo",
        "x-api-key": "SENTINEL-modern",
      });
      expect(modern.received.some((entry) => entry.method === "initialize")).toBe(false);
    },
  );

  test("a call that takes too long is unknown, and its stream is closed, which cancels it", async () => {
    const modern = await startModernServer();
    cleanup.push(() => modern.close());
    const [pool, server] = [pooled(), testServer(modern.url)];
    // A busy machine may not have sent it by then, so it is tried with twice the time.
    let outcome = await callTool(pool, server, asking("wait", {}, { timeoutMs: 400 }));
    for (let timeoutMs = 800; outcome.kind === "not_sent" && outcome.reason === "timeout"; timeoutMs *= 2)
      outcome = await callTool(pool, server, asking("wait", {}, { timeoutMs }));
    expect(outcome).toMatchObject({ kind: "unknown" });
    expect(modern.received.filter((entry) => entry.method === "tools/call")).toHaveLength(1);
  });

  test("a change is announced on the stream that listens for it", async () => {
    const modern = await startModernServer();
    cleanup.push(() => modern.close());
    const heard = Promise.withResolvers<ToolList>();
    const pool = pooled({ onListChanged: (_name, list) => heard.resolve(list) });
    await pool.listTools(testServer(modern.url));
    modern.addTool("added");
    expect((await heard.promise).tools.map((tool) => tool.name)).toContain("added");
  });
});

describe("the reference server", () => {
  test.each(["streamableHttp", "sse"] as const)(
    "its tools are listed and called over %s, with the same address form",
    async (mode) => {
      const everything = await startEverythingServer(mode);
      cleanup.push(() => everything.close());
      const pool = pooled();
      const server = testServer(everything.url, { secret: "SENTINEL-everything" });
      const list = await pool.listTools(server);
      expect(list.tools.map((tool) => tool.name)).toContain("get-sum");
      expect(await callTool(pool, server, asking("get-sum", { a: 2, b: 3 }))).toMatchObject({
        kind: "answered",
        result: { success: true, output: expect.stringContaining("5") },
      });
      expect(await callTool(pool, server, asking("get-structured-content", { location: "New York" }))).toMatchObject({
        kind: "answered",
        result: { success: true },
      });
      expect(await callTool(pool, server, asking("get-tiny-image"))).toMatchObject({
        kind: "answered",
        result: { output: expect.stringContaining("[image image/png") },
      });
      expect(JSON.stringify(await callTool(pool, server, asking("get-env")))).not.toContain("SENTINEL");
    },
  );

  const stdio = { transport: "stdio", ...EVERYTHING_COMMAND };

  test("as a process it is refused unless the deployment allows it", async () => {
    const outcome = await callTool(pooled(), testServer(undefined, { fields: stdio }), asking("get-env"));
    expect(outcome).toMatchObject({ kind: "not_sent", reason: "refused", retryable: false });
  });

  test("as a process it sees the variables that it is given and no others", async () => {
    process.env.KIMITSU_SENTINEL = "SENTINEL-env";
    cleanup.push(() => void delete process.env.KIMITSU_SENTINEL);
    const server = testServer(undefined, { fields: stdio });
    const outcome = await callTool(
      pooled({ stdio: { env: { PATH: "/nowhere" } } }),
      { ...server, resolved: { ...server.resolved, env: { GIVEN: "yes" } } },
      asking("get-env"),
    );
    expect(outcome).toMatchObject({ kind: "answered" });
    const seen = JSON.parse((outcome as { result: { output: string } }).result.output) as Record<string, string>;
    expect(seen).toEqual({ PATH: "/nowhere", GIVEN: "yes" });
  });

  test("arguments of a process are not read by a shell", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-stdio-"));
    cleanup.push(() => rmSync(folder, { recursive: true }));
    const proof = path.join(folder, "proof");
    const fields = {
      transport: "stdio",
      command: process.execPath,
      args: ["-e", "setTimeout(() => {}, 50)", `; touch ${proof}`, `$(touch ${proof})`],
    };
    await callTool(
      pooled({ stdio: { env: {} } }),
      testServer(undefined, { fields }),
      asking("x", {}, { timeoutMs: 1_000 }),
    );
    expect(existsSync(proof)).toBe(false);
  });
});

test("a server inside this process is called like any other", async () => {
  const seen: unknown[] = [];
  const pool = pooled({
    openBuiltin: async (_server, params) => {
      seen.push(params);
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      const server = new McpServer({ name: "builtin", version: "1" });
      server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
        content: [{ type: "text", text }],
      }));
      await server.connect(theirs);
      return ours;
    },
  });
  expect(
    await callTool(pool, testServer(undefined, { params: { allowed_base: "data" } }), asking("echo", { text: "in" })),
  ).toMatchObject({ kind: "answered", result: { output: "in" } });
  expect(seen).toEqual([{ allowed_base: "data" }]);
});

describe("the only way to a tool", () => {
  const root = path.resolve(import.meta.dirname, "../..");
  const sources = ["lib", "app", "components", "scripts"]
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (file) => `${folder}/${file.split(path.sep).join("/")}`,
      ),
    )
    .filter(
      (file) =>
        /\.(ts|tsx|mts|mjs)$/.test(file) && !/\.test\.tsx?$|^lib\/testing\/|^lib\/database\/generated\//.test(file),
    )
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }));
  const holding = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

  test(verifies("architecture:gate", "no other file calls the client's callTool"), () => {
    expect(holding(/\.callTool\s*\(/)).toEqual(["lib/tools/call-tool.ts"]);
  });

  test(
    verifies(
      "architecture:gate",
      "no file outside of this folder loads the client of tool servers in any way, and one file in it creates a client",
    ),
    () => {
      expect(
        holding(/["'`]@modelcontextprotocol\/(client|sdk\/client)/).filter((file) => !file.startsWith("lib/tools/")),
      ).toEqual([]);
      expect(
        holding(/import\s*\{[^}]*\bClient\b[^}]*\}\s*from\s*["']@modelcontextprotocol\/(client|sdk\/client)/),
      ).toEqual(["lib/tools/connection.ts"]);
    },
  );

  test(
    verifies(
      "architecture:gate",
      "our own callTool is called only by the gate, which sends what was judged and recorded",
    ),
    () => {
      expect(holding(/["'`][^"'`\n]*\/call-tool["'`]/)).toEqual(["lib/runs/advance/dispatch-call.ts"]);
    },
  );
});

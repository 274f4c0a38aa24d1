import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, describe, expect, test } from "vitest";
import { fingerprintTool } from "@/lib/tools/rules/tool-fingerprint";
import { testPool, testServer, type TestServerOptions } from "@/lib/testing/hostile-servers/tool-server";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import type { RecordingServerOptions } from "@/lib/testing/recording/http-side";
import { callTool, type ToolCallRequest } from "./call-tool";
import type { ToolPool, ToolPoolOptions } from "./tool-pool";

const cleanup: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

async function record(options: RecordingServerOptions = {}): Promise<RecordingServer> {
  const server = await startRecordingServer(options);
  cleanup.push(() => server.close());
  return server;
}

function pooled(options: Partial<ToolPoolOptions> = {}): ToolPool {
  const pool = testPool(options);
  cleanup.push(() => pool.close());
  return pool;
}

function asking(tool: string, more: Partial<ToolCallRequest> = {}): ToolCallRequest {
  return { tool, arguments: {}, fingerprint: null, callId: "call_test", ...more };
}

const TRANSPORTS = ["http", "stateless", "sse"] as const;

describe.each(TRANSPORTS)("over %s", (transport) => {
  async function start(options: TestServerOptions = {}) {
    const recording = await record({ transport });
    return { recording, pool: pooled(), server: testServer(recording.url, options) };
  }

  test("a call arrives once, with its arguments, its id and the params, and its result has one form", async () => {
    const { recording, pool, server } = await start({
      params: { region: "eu" },
      secretParams: { token: "SENTINEL-param" },
    });
    const outcome = await callTool(pool, server, asking("echo", { arguments: { a: 1 } }));
    expect(outcome).toMatchObject({
      kind: "answered",
      result: { success: true, output: '{"a":1}', structured_content: { a: 1 }, is_error: false, error: null },
    });
    const [call, ...others] = await recording.calls();
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      arguments: { a: 1 },
      meta: { "dev.kimitsu/call_id": "call_test", "dev.kimitsu/params": { region: "eu", token: "SENTINEL-param" } },
    });
    const initialize = (await recording.received()).find((entry) => entry.method === "initialize");
    expect(initialize?.meta).toEqual({ "dev.kimitsu/params": { region: "eu", token: "SENTINEL-param" } });
  });

  test("whether it may be sent is checked when its connection is open, and nothing is sent if not", async () => {
    const { recording, pool, server } = await start();
    await callTool(pool, server, asking("echo"));
    let opened = 0;
    const count = () => void (opened += 1);
    subscribe("undici:client:connected", count);
    cleanup.push(async () => void unsubscribe("undici:client:connected", count));
    let openedWhenAsked = 0;
    const mayBeSent = () => {
      openedWhenAsked = opened;
      return false;
    };
    expect(await callTool(pool, server, asking("echo", { mayBeSent }))).toMatchObject({
      kind: "not_sent",
      reason: "cancelled",
    });
    expect(openedWhenAsked).toBeGreaterThan(0);
    expect(await recording.calls()).toHaveLength(1);
  });

  test("a tool's own failure is a result that says so", async () => {
    const { pool, server } = await start();
    expect(await callTool(pool, server, asking("fail-result"))).toMatchObject({
      kind: "answered",
      result: { success: false, is_error: true, error: "the tool failed on purpose" },
    });
  });

  test("a JSON-RPC error is an answer when it refuses the call, and leaves the outcome unknown when it may come after the work", async () => {
    const { pool, server } = await start();
    expect(await callTool(pool, server, asking("fail-protocol"))).toMatchObject({
      kind: "answered",
      result: { is_error: true },
    });
    expect(await callTool(pool, server, asking("fail-internal"))).toMatchObject({
      kind: "unknown",
      reason: expect.stringContaining("broke on purpose"),
    });
  });

  test("a connection that ends after the work leaves the outcome unknown, and the work was done once", async () => {
    const { recording, pool, server } = await start();
    expect(await callTool(pool, server, asking("drop-after"))).toMatchObject({ kind: "unknown" });
    expect((await recording.calls("drop-after")).map((call) => call.performed)).toEqual([true]);
  });

  test("a connection that ends before the work leaves the outcome unknown, and nothing is sent again", async () => {
    const { recording, pool, server } = await start();
    expect(await callTool(pool, server, asking("drop-before"))).toMatchObject({ kind: "unknown" });
    expect(await recording.calls("drop-before")).toHaveLength(1);
  });

  test("a server error leaves the outcome unknown, and nothing is sent again", async () => {
    const { recording, pool, server } = await start();
    expect(await callTool(pool, server, asking("http-500"))).toMatchObject({ kind: "unknown" });
    expect(await recording.calls("http-500")).toHaveLength(1);
  });

  test("after a broken connection the next call gets a new one", async () => {
    const { pool, server } = await start();
    await callTool(pool, server, asking("drop-after"));
    expect(await callTool(pool, server, asking("echo"))).toMatchObject({ kind: "answered" });
  });

  test("a call that takes longer than its timeout is unknown, not failed", async () => {
    const { recording, pool, server } = await start();
    await callTool(pool, server, asking("echo"));
    // A busy machine may not have sent it by then, so it is tried with twice the time.
    let timeoutMs = 150;
    let outcome = await callTool(pool, server, asking("slow", { timeoutMs }));
    while (outcome.kind === "not_sent" && outcome.reason === "timeout")
      outcome = await callTool(pool, server, asking("slow", { timeoutMs: (timeoutMs *= 2) }));
    expect(outcome).toMatchObject({ kind: "unknown" });
    expect((outcome as { error: Error }).error.message).toContain(`${timeoutMs} ms`);
    expect(await recording.calls("slow")).toHaveLength(1);
  });

  test("a cancelled call is unknown once it was sent", async () => {
    const { recording, pool, server } = await start();
    const stop = new AbortController();
    const outcome = callTool(pool, server, asking("slow", { signal: stop.signal }));
    await recording.waitForCalls("slow");
    stop.abort();
    expect(await outcome).toMatchObject({ kind: "unknown" });
  });

  test("a call that was cancelled before it started never arrives", async () => {
    const { recording, pool, server } = await start();
    expect(await callTool(pool, server, asking("echo", { signal: AbortSignal.abort() }))).toMatchObject({
      kind: "not_sent",
      reason: "cancelled",
      retryable: false,
    });
    expect(await recording.calls()).toEqual([]);
  });

  test("a definition that is not the judged one prevents the call", async () => {
    const { recording, pool, server } = await start();
    const judged = (await pool.listTools(server)).tools.find((tool) => tool.name === "echo")!;
    expect(await callTool(pool, server, asking("echo", { fingerprint: fingerprintTool(judged) }))).toMatchObject({
      kind: "answered",
    });
    const other = fingerprintTool({ ...judged, description: "Deletes everything" });
    expect(await callTool(pool, server, asking("echo", { fingerprint: other }))).toMatchObject({
      kind: "not_sent",
      reason: "definition_changed",
      retryable: false,
    });
    expect(await recording.calls("echo")).toHaveLength(1);
  });

  test("a tool that the server does not list is not called", async () => {
    const { recording, pool, server } = await start();
    expect(await callTool(pool, server, asking("no-such-tool"))).toMatchObject({
      kind: "not_sent",
      reason: "tool_missing",
    });
    expect(await recording.calls()).toEqual([]);
  });

  test("a structured result that does not fit its schema leaves the call unknown, is explained and is kept", async () => {
    const { pool, server } = await start();
    expect(await callTool(pool, server, asking("structured"))).toMatchObject({
      kind: "answered",
      result: { success: true, structured_content: { total: 5 } },
    });
    const outcome = await callTool(pool, server, asking("structured-invalid"));
    expect(outcome).toMatchObject({
      kind: "unknown",
      retryable: false,
      result: { structured_content: { total: "five" } },
    });
    expect((outcome as { error: Error }).error.message).toContain("/total must be number");
  });

  test("the credential goes only into its header, and an echo of it is removed", async () => {
    const { recording, pool, server } = await start({ secret: "SENTINEL-header" });
    const outcome = await callTool(pool, server, asking("echo-headers"));
    const received = await recording.received();
    expect(new Set(received.map((entry) => entry.headers["x-api-key"]))).toEqual(new Set(["SENTINEL-header"]));
    expect(JSON.stringify(received.map(({ params, meta }) => ({ params, meta })))).not.toContain("SENTINEL");
    expect(outcome).toMatchObject({ kind: "answered" });
    expect(JSON.stringify(outcome)).toContain("[secret]");
    expect(JSON.stringify(outcome)).not.toContain("SENTINEL");
  });
});

test("a server that is not there is tried three times and nothing is sent", async () => {
  const recording = await record();
  const server = testServer(recording.url);
  await recording.close();
  const pool = pooled();
  const outcome = await callTool(pool, server, asking("echo"));
  expect(outcome).toMatchObject({ kind: "not_sent", reason: "unreachable", retryable: true });
});

test("a server that comes up between the tries is reached", async () => {
  const first = await record();
  await first.close();
  const pool = pooled({ connectBackoffMs: 300 });
  const outcome = callTool(pool, testServer(first.url), asking("echo"));
  const recording = await record({ port: first.port });
  expect(await outcome).toMatchObject({ kind: "answered" });
  expect(await recording.calls()).toHaveLength(1);
});

test("a server that closes every handshake is tried three times, then reported as unreachable", async () => {
  const recording = await record();
  await recording.ail({ illness: { kind: "hang-up" } });
  expect(await callTool(pooled(), testServer(recording.url), asking("echo"))).toMatchObject({
    kind: "not_sent",
    reason: "unreachable",
    retryable: true,
  });
  expect((await recording.received()).map((entry) => entry.method)).toEqual([
    "server/discover",
    "server/discover",
    "server/discover",
  ]);
});

test("a wrong credential is not tried again, and is not in the message", async () => {
  const recording = await record({ requireHeader: { name: "X-Api-Key", value: "right" } });
  const outcome = await callTool(pooled(), testServer(recording.url, { secret: "SENTINEL-wrong" }), asking("echo"));
  expect(outcome).toMatchObject({ kind: "not_sent", reason: "refused", retryable: false });
  expect((await recording.received()).length).toBe(1);
  expect(JSON.stringify(outcome) + String((outcome as { error: Error }).error.stack)).not.toContain("SENTINEL");
});

test("a secret that no header can carry is refused without being printed", async () => {
  const recording = await record();
  const outcome = await callTool(
    pooled(),
    testServer(recording.url, { secret: "SENTINEL\nX-Other: 1" }),
    asking("echo"),
  );
  expect(outcome).toMatchObject({ kind: "not_sent", reason: "refused" });
  const { error } = outcome as { error: Error };
  expect(error.message).toContain("cannot stand in the header X-Api-Key");
  expect(`${error.stack}${String((error.cause as Error).stack)}`).not.toContain("SENTINEL");
  expect(await recording.received()).toEqual([]);
});

test.each([400, 401, 403, 404, 413, 429])(
  "HTTP %i to a call is the server's refusal, and the call is not sent again",
  async (status) => {
    const recording = await record();
    const pool = pooled();
    const server = testServer(recording.url);
    await pool.listTools(server);
    await recording.ail({ illness: { kind: "status", status }, methods: ["tools/call"] });
    expect(await callTool(pool, server, asking("echo"))).toMatchObject({
      kind: "answered",
      result: { is_error: true },
    });
    expect(await recording.calls()).toHaveLength(1);
  },
);

test.each([408, 500, 502, 503, 504])(
  "HTTP %i to a call leaves it unknown, and the call is not sent again",
  async (status) => {
    const recording = await record();
    const pool = pooled();
    const server = testServer(recording.url);
    await pool.listTools(server);
    await recording.ail({ illness: { kind: "status", status }, methods: ["tools/call"] });
    expect(await callTool(pool, server, asking("echo"))).toMatchObject({ kind: "unknown" });
    expect(await recording.calls()).toHaveLength(1);
  },
);

test("a redirect of a call is not followed, and neither call nor credential reaches the target", async () => {
  const other = await record();
  const recording = await record();
  const pool = pooled();
  const server = testServer(recording.url, { secret: "SENTINEL-header" });
  await pool.listTools(server);
  await recording.ail({ illness: { kind: "redirect", to: other.url }, methods: ["tools/call"] });
  expect(await callTool(pool, server, asking("echo"))).toMatchObject({ kind: "answered", result: { is_error: true } });
  expect(await other.received()).toEqual([]);
  expect(await recording.calls()).toHaveLength(1);
});

test("a redirect to the same place is not followed either", async () => {
  const recording = await record();
  const pool = pooled();
  const server = testServer(recording.url);
  await pool.listTools(server);
  await recording.ail({ illness: { kind: "redirect", to: recording.url }, methods: ["tools/call"] });
  await callTool(pool, server, asking("echo"));
  expect(await recording.calls()).toHaveLength(1);
});

test("calls at the same time share a connection, and each gets its own answer", async () => {
  const recording = await record();
  const pool = pooled();
  const server = testServer(recording.url);
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, n) => callTool(pool, server, asking("echo", { arguments: { n } }))),
  );
  expect(outcomes.map((outcome) => outcome.kind === "answered" && outcome.result.structured_content)).toEqual(
    Array.from({ length: 50 }, (_, n) => ({ n })),
  );
  expect((await recording.received()).filter((entry) => entry.method === "initialize")).toHaveLength(1);
});

test("one call that fails does not disturb another on the same connection", async () => {
  const recording = await record();
  const pool = pooled();
  const server = testServer(recording.url);
  const slow = callTool(pool, server, asking("slow"));
  await recording.waitForCalls("slow");
  expect(await callTool(pool, server, asking("drop-after"))).toMatchObject({ kind: "unknown" });
  await recording.release("slow");
  expect(await slow).toMatchObject({ kind: "answered", result: { success: true } });
});

test("a server that went away after its list was read is sent nothing", async () => {
  const first = await startRecordingServer();
  const pool = pooled();
  const server = testServer(first.url);
  await pool.listTools(server);
  await first.close();
  expect(await callTool(pool, server, asking("echo"))).toMatchObject({
    kind: "not_sent",
    reason: "unreachable",
    retryable: true,
  });
});

test("a large result is returned below the limit, and is unknown beyond it", async () => {
  const outcomes = [];
  for (const [transport, length] of [
    ["http", 9_000_000],
    ["http", 11_000_000],
    ["sse", 9_000_000],
    ["sse", 11_000_000],
  ] as const) {
    const recording = await record({ transport });
    const pool = pooled();
    const outcome = await callTool(pool, testServer(recording.url), asking("large-result", { arguments: { length } }));
    outcomes.push(outcome.kind === "answered" ? outcome.result.success : outcome.kind);
    expect(await callTool(pool, testServer(recording.url), asking("echo"))).toMatchObject({
      kind: "answered",
      result: { success: true },
    });
  }
  expect(outcomes).toEqual([true, "unknown", true, "unknown"]);
});

test.each([[{ n: Number.NaN }], [{ n: 2 ** 60 }], [{ n: 1n }], [{ at: new Date(0) }], [{ s: "\uD800" }]])(
  "arguments that JSON would change are not sent (%#)",
  async (args) => {
    const recording = await record();
    expect(await callTool(pooled(), testServer(recording.url), asking("echo", { arguments: args }))).toMatchObject({
      kind: "not_sent",
      reason: "refused",
      retryable: false,
    });
    expect(await recording.received()).toEqual([]);
  },
);

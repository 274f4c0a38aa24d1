import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { revokeToken } from "@/lib/people/revoke-token";
import { KimitsuError } from "@/lib/errors";
import { useDatabase } from "@/lib/testing/database";
import { connectClient, connectOldClient, type McpBench, openMcpBench, type TestToken } from "@/lib/testing/mcp-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();

const WRITE = "t-none";
const ALLOWED = `- ${WRITE}`;
const ASKED = `- name: ${WRITE}\n  require_approval: { timeout: 1h }`;
const HOLD = "hold: { task: 0s, progress: 0s, plain: 0s }\n";
const LONG = "hold: { task: 15m, progress: 15m, plain: 15m }\n";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
};

interface Sent {
  token?: string | undefined;
  headers?: Record<string, string>;
  params?: Record<string, unknown>;
  method?: string;
}

const send = (url: string, { token, headers = {}, params = {}, method = "tools/list" }: Sent) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } }),
  });

const initialize = (url: string, { token }: Pick<TestToken, "token">) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    }),
  });

const listIn = (url: string, { token }: Pick<TestToken, "token">, sessionId: string) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-session-id": sessionId,
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} }),
  });

describe(verifies("proxy:door", "who comes in at /mcp"), () => {
  test("nobody without a live token of scope mcp that is bound to a profile of today's project", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const none = await send(bench.url, {});
    expect(none.status).toBe(401);
    expect(none.headers.get("www-authenticate")).toContain("Bearer");
    expect(await none.json()).toMatchObject({ error: { code: "unauthorized" } });
    expect((await send(bench.url, { token: `kmt_${"a".repeat(43)}` })).status).toBe(401);
    for (const facts of [{ scopes: ["runs:read"], profile: null }, { profile: null }, { profile: "gone" }]) {
      const { token } = await bench.token(facts);
      const refused = await send(bench.url, { token });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: { code: "forbidden", message: expect.any(String) } });
    }
    const { token } = await bench.token();
    expect((await send(bench.url, { token })).status).toBe(200);
  });

  test("no page of a stranger", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const { token } = await bench.token();
    const refused = await send(bench.url, { token, headers: { origin: "https://evil.example" } });
    expect(refused.status).toBe(403);
    expect((await send(bench.url, { token, headers: { origin: "http://127.0.0.1:3000" } })).status).toBe(200);
  });

  test("a body that is no JSON, or too large, is refused clearly", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const { token } = await bench.token();
    const post = (body: string) =>
      fetch(bench.url, { method: "POST", headers: { authorization: `Bearer ${token}` }, body });
    expect((await post("{")).status).toBe(400);
    expect((await post(JSON.stringify("x".repeat(5 * 1024 * 1024)))).status).toBe(413);
  });

  test("one who floods is refused, and nothing of it is looked at", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const { url } = await bench.serve({
      countRequest: () => {
        throw new KimitsuError("rate_limited", "Too many.", { retryAfterS: 1 });
      },
    });
    const { token } = await bench.token();
    const refused = await send(url, { token, method: "tools/call", params: { name: `${bench.serverName}__${WRITE}` } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await bench.recorder.calls()).toHaveLength(0);
  });
});

describe(verifies("proxy:door", "a session of the older protocol"), () => {
  test("belongs to its token: another token's is not found, like one that never was", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const [own, other] = [await bench.token(), await bench.token()];
    const sessionId = (await initialize(bench.url, own)).headers.get("mcp-session-id")!;
    expect((await listIn(bench.url, own, sessionId)).status).toBe(200);
    expect((await listIn(bench.url, other, sessionId)).status).toBe(404);
    expect((await listIn(bench.url, own, "chosen-by-the-client")).status).toBe(404);
    const rows = await bench.deps.db.clientSession.findMany({ where: { tokenId: own.id } });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(sessionId);
  });

  test("goes on in another process, which knows only its row", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const own = await bench.token();
    const sessionId = (await initialize(bench.url, own)).headers.get("mcp-session-id")!;
    const elsewhere = await bench.serve();
    const answer = await listIn(elsewhere.url, own, sessionId);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(`${bench.serverName}__${WRITE}`);
    expect(await bench.deps.db.clientSession.count({ where: { tokenId: own.id } })).toBe(1);
  });
});

/** A request that is held while a person decides. */
async function held(bench: McpBench, token: TestToken) {
  const client = await connectClient(bench.url, token, { era: "modern" });
  const answer = client.callTool({ name: `${bench.serverName}__${WRITE}`, arguments: { n: 1 } });
  answer.catch(() => {});
  const approval = await until(
    () => bench.deps.db.approval.findFirst({ where: { server: bench.serverName }, orderBy: { id: "desc" } }),
    { what: "the question is asked", isDone: (row) => row !== null },
  );
  return { answer, runId: approval!.runId };
}

describe(verifies("proxy:door", "a token that is revoked"), () => {
  test("its held requests end at once, and its sessions are over", async () => {
    const bench = await openMcpBench(database, { allowlist: ASKED, profile: LONG });
    const own = await bench.token();
    const sessionId = (await initialize(bench.url, own)).headers.get("mcp-session-id")!;
    const { answer } = await held(bench, own);
    const actor = { kind: "user", id: own.userId, name: "Somebody" } as const;
    await revokeToken(bench.deps, actor, { tokenId: own.id, ownerId: null });
    await expect(answer).rejects.toThrow();
    expect((await listIn(bench.url, own, sessionId)).status).toBe(401);
    await until(() => bench.deps.db.clientSession.count({ where: { tokenId: own.id, endedAt: null } }), {
      what: "its sessions have ended",
      isDone: (open) => open === 0,
    });
    expect(await bench.recorder.calls()).toHaveLength(0);
  });
});

describe(verifies("proxy:door", "what a client gives"), () => {
  test("its bearer, cookies and headers never reach the server behind", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const { token } = await bench.token();
    const answer = await send(bench.url, {
      token,
      headers: { cookie: "session=sentinel-cookie", "x-api-key": "sentinel-header" },
      method: "tools/call",
      params: { name: `${bench.serverName}__${WRITE}`, arguments: { n: 1 } },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    const seen = JSON.stringify(await bench.recorder.received());
    expect(seen).toContain(WRITE);
    for (const secret of [token, "sentinel-cookie", "sentinel-header"]) expect(seen).not.toContain(secret);
  });

  test("headers that differ from the body are refused, and no tool is called", async () => {
    const bench = await openMcpBench(database, { allowlist: ALLOWED });
    const { token } = await bench.token();
    const name = `${bench.serverName}__${WRITE}`;
    const params = { name, arguments: { n: 1 } };
    const differing: Record<string, string>[] = [{ "mcp-name": "kimitsu_get_result" }, { "mcp-method": "tools/list" }];
    for (const headers of differing) {
      const refused = await send(bench.url, { token, headers, method: "tools/call", params });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: -32_020 } });
    }
    expect(await bench.recorder.calls()).toHaveLength(0);
  });

  test("the call id of another token is not found, by whichever way it is asked for", async () => {
    const bench = await openMcpBench(database, { allowlist: ASKED, profile: HOLD });
    const call = { name: `${bench.serverName}__${WRITE}`, arguments: { n: 1 } };
    const own = await connectClient(bench.url, await bench.token(), { era: "modern" });
    const { call_id: callId } = (await own.callTool(call)).structuredContent as { call_id: string };
    const other = await connectOldClient(bench.url, await bench.token());
    for (const name of ["kimitsu_get_result", "kimitsu_cancel"]) {
      const answer = await other.callTool({ name, arguments: { call_id: callId } });
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("There is no call") }] });
    }
    const waiting = await own.callTool({ name: "kimitsu_get_result", arguments: { call_id: callId } });
    expect(waiting.structuredContent).toMatchObject({ status: "pending_approval" });
  });
});

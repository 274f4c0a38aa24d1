/**
 * Calls one tool directly, through Kimitsu and through mcp-hub, in turns, with the same client; then holds calls that
 * wait for people. Prints one line of JSON.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Agent, fetch } from "undici";
import { connect, type Db } from "@/lib/database/client";
import type { ProjectProfile } from "@/lib/config/project";
import { processVariables } from "@/lib/env";
import { createToken } from "@/lib/people/create-token";
import { buildUser } from "@/lib/testing/builders";
import { until } from "@/lib/testing/until";
import { measure } from "./measure.mjs";

const { DATABASE_URL: url = "", WEB_URL: webUrl = "", BENCH_TARGETS = "{}", BENCH_SCALE = "1" } = processVariables();
const scale = Number(BENCH_SCALE);
const PASSES = 6;
const CONCURRENCY = 16;
const ONE_AT_A_TIME = Math.ceil(150 * scale);
const AT_ONCE = Math.ceil(1_000 * scale);
const WARM_UP = Math.ceil(500 * scale);
const HELD = Math.ceil(500 * scale);

type Target = "direct" | "kimitsu" | "hub";
const targets = JSON.parse(BENCH_TARGETS) as Record<Target, string>;
const db = connect(url, 4);
const deps = { db, now: () => new Date() };

async function makeToken(profile: string): Promise<string> {
  const { id, actor } = await buildUser(deps, "operator");
  const project = { profiles: { [profile]: {} as ProjectProfile } };
  const given = { name: "bench", userId: id, scopes: ["mcp" as const], profile };
  return (await createToken({ ...deps, project }, actor, given)).token;
}

type Caller = (text: string) => Promise<void>;

/** A client with a connection of its own, and for Kimitsu a token of its own, so that no limit per caller is near. */
async function openCaller(target: Target): Promise<Caller> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const address = new URL(targets[target]);
  const token = target === "kimitsu" ? await makeToken("free") : null;
  const requestInit = token === null ? {} : { headers: { authorization: `Bearer ${token}` } };
  const transport =
    target === "hub" ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address, { requestInit });
  await client.connect(transport as never);
  const { tools } = await client.listTools();
  const name = tools.find((tool) => tool.name.endsWith("act"))?.name;
  if (name === undefined) throw new Error(`${target} lists no tool of the upstream`);
  return async (text) => {
    const { isError, content } = await client.callTool({ name, arguments: { text } });
    if (isError || !JSON.stringify(content).includes(`${text}ed`))
      throw new Error(`${target}: ${JSON.stringify(content)}`);
  };
}

let calls = 0;
/** Never the same twice: the same call of a client would join the one before. */
const nextText = () => `t${process.pid}-${(calls += 1)}`;

async function measureCalls() {
  const names = Object.keys(targets) as Target[];
  const callers = new Map<Target, Caller[]>();
  for (const name of names)
    callers.set(name, await Promise.all(Array.from({ length: CONCURRENCY }, () => openCaller(name))));
  const run = (name: Target, count: number, concurrency: number) => {
    const free = [...(callers.get(name) ?? [])];
    const cycle = async () => {
      const caller = free.pop()!;
      const startedAt = performance.now();
      await caller(nextText());
      free.push(caller);
      return performance.now() - startedAt;
    };
    return measure({ cycle, count, concurrency });
  };
  for (const name of names) await run(name, WARM_UP, CONCURRENCY);
  const found = Object.fromEntries(names.map((name) => [name, { ms: [] as number[], count: 0, seconds: 0 }]));
  for (let pass = 1; pass <= PASSES; pass += 1) {
    for (const name of pass % 2 === 1 ? names : names.toReversed()) {
      const own = found[name]!;
      own.ms.push(...(await run(name, ONE_AT_A_TIME, 1)).decisionMs);
      const { seconds } = await run(name, AT_ONCE, CONCURRENCY);
      own.count += AT_ONCE;
      own.seconds += seconds;
    }
  }
  return Object.fromEntries(
    names.map((name) => {
      const { ms, count, seconds } = found[name]!;
      const sorted = ms.toSorted((left, right) => left - right);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
      return [name, { p50: at(0.5), p99: at(0.99), perSecond: count / seconds }];
    }),
  );
}

async function residentBytes(): Promise<number> {
  const response = await fetch(`${webUrl}/metrics`);
  const figure = /^\S*process_resident_memory_bytes (\S+)/m.exec(await response.text())?.[1];
  if (figure === undefined) throw new Error(`${webUrl}/metrics names no memory`);
  return Number(figure);
}

/** As many calls as people could ever leave waiting, each with its request open. */
async function holdCalls(db: Db) {
  const token = await makeToken("asked");
  const dispatcher = new Agent({ connections: HELD + 1, headersTimeout: 0, bodyTimeout: 0 });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "upstream__act",
  };
  const leaving = new AbortController();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const ask = (id: number) => {
    const params = { name: "upstream__act", arguments: { text: nextText() }, _meta: meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
    return fetch(`${webUrl}/mcp`, { method: "POST", headers, body, dispatcher, signal: leaving.signal }).catch(
      () => null,
    );
  };
  const before = await residentBytes();
  const held = Array.from({ length: HELD }, (_, id) => ask(id));
  await until(() => db.approval.count({ where: { status: "pending" } }), {
    what: "all calls wait for people",
    isDone: (count) => count >= HELD,
  });
  const bytes = (await residentBytes()) - before;
  const free = await openCaller("kimitsu");
  const startedAt = performance.now();
  await free(nextText());
  const otherMs = performance.now() - startedAt;
  leaving.abort();
  await Promise.all(held);
  await dispatcher.close();
  return { count: HELD, bytesEach: bytes / HELD, otherMs };
}

const rounds = await measureCalls();
const held = await holdCalls(db);
await db.$disconnect();
console.log(JSON.stringify({ rounds, held }));
process.exit(0);

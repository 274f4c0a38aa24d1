import { beforeAll, expect, test } from "vitest";
import { POST as START } from "@/app/runs/route";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { GET as SERVERS } from "./servers/route";
import { GET as TOOLS } from "./tools/route";
import { GET as SEARCH } from "./tools/search/route";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
const read = async (handler: typeof TOOLS, query = "") =>
  (await ask(handler, `/registry${query}`, { token })).body.items;

beforeAll(async () => {
  bench = await openApiBench(database);
  token = (await bench.login("operator")).token;
});

const own = async () => (await read(SERVERS)).find((server: { name: string }) => server.name === "recorder");
const tool = async (name: string) =>
  (await read(TOOLS, "?server=recorder")).find((each: { tool: string }) => each.tool === name);
async function run(with_ = bench) {
  Object.assign(globalThis, { __kimitsuRuntime: with_.deps });
  const { body } = await ask(START, "/runs", { method: "POST", token, body: { workflow: "main" } });
  await with_.advance(body.run_id);
}

test("a server that nobody has asked yet is unknown; after a run it is well, with its tools", async () => {
  expect(await own()).toMatchObject({
    origin: "local",
    health: "unknown",
    tools: 0,
    agents: ["worker"],
    profiles: [],
    file: "servers/recorder.server.yaml",
    required: true,
  });
  await run();
  const server = await own();
  expect(server).toMatchObject({
    health: "ok",
    last_error: null,
    list_hash: expect.stringMatching(/^sha256:/),
    listed_at: expect.any(String),
    checked_at: expect.any(String),
  });
  expect(server.tools).toBeGreaterThan(10);
});

test("names that are kept for built-in servers are no servers while nobody refers to them", async () => {
  expect((await read(SERVERS)).filter((server: { origin: string }) => server.origin === "builtin").length).toBe(0);
});

test("tools have danger, annotations, fingerprints and the state of their pin", async () => {
  const echo = await tool("echo");
  expect(echo).toMatchObject({
    name: "recorder.echo",
    danger: expect.any(String),
    fingerprint: expect.stringMatching(/^sha256:/),
    pin: "trusted_first_use",
    input_schema: { type: "object" },
  });
  expect(echo.pinned_fingerprint).toBe(echo.fingerprint);
  expect(await read(TOOLS, "?server=other")).toEqual([]);
});

test("a changed definition is shown beside the trusted one until it changes back; an unlisted one is gone; a stopped server is unreachable", async () => {
  const before = await tool("slow");
  // A connected client is notified of a change as well, and may store it later than the next lines here.
  await bench.deps.pool.close();
  await bench.server.change({ name: "slow", description: "Something else altogether" });
  const later = await openApiBench(database, { url: bench.server.url });
  later.clock.advance(60_000);
  await run(later);
  const after = await tool("slow");
  expect(after).toMatchObject({
    pin: "changed",
    description: "Something else altogether",
    pinned_fingerprint: before.fingerprint,
  });
  expect(after.fingerprint).not.toBe(before.fingerprint);
  await later.deps.pool.close();
  await bench.server.change({ name: "slow", description: before.description });
  const back = await openApiBench(database, { url: bench.server.url });
  back.clock.advance(90_000);
  await run(back);
  expect(await tool("slow")).toMatchObject({ pin: "trusted_first_use", description: before.description });
  expect((await tool("slow")).gone_at).toBeNull();
  const count = (await own()).tools;
  await back.deps.pool.close();
  await bench.server.remove("slow");
  const without = await openApiBench(database, { url: bench.server.url });
  without.clock.advance(100_000);
  await run(without);
  expect(await tool("slow")).toMatchObject({
    description: before.description,
    gone_at: without.clock.now().toISOString(),
  });
  expect((await own()).tools, "in the last list").toBe(count - 1);
  const gone = await openApiBench(database, { url: "http://127.0.0.1:9/mcp" });
  gone.clock.advance(120_000);
  await run(gone);
  expect(await own()).toMatchObject({
    health: "unreachable",
    last_error: expect.stringContaining("recorder"),
    tools: expect.any(Number),
  });
});

test("search finds by words in name or description, the name first", async () => {
  const found = await read(SEARCH, "?q=echo");
  expect(found[0].tool).toBe("echo");
  expect((await read(SEARCH, "?q=gives%20headers")).map((tool: { tool: string }) => tool.tool)).toEqual([
    "echo-headers",
  ]);
  expect(await read(SEARCH, "?q=zzz")).toEqual([]);
});

test("401, 403 and 422", async () => {
  expect((await ask(SERVERS, "/registry/servers", {})).status).toBe(401);
  const narrow = await bench.login("operator", { scopes: ["runs:read"] });
  expect((await ask(TOOLS, "/registry/tools", { token: narrow.token })).status).toBe(403);
  expect((await ask(SEARCH, "/registry/tools/search", { token })).status).toBe(422);
});

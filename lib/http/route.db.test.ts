import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { verifies } from "@/e2e/requirements";
import { BODY_SIZE_BYTES_MAX, DATABASE_WAITING_MAX } from "@/lib/limits";
import { defineOperation } from "@/lib/http/operation";
import { createRoute } from "@/lib/http/route";
import { getHealth } from "@/lib/http/schemas/health";
import { connect, poolUse } from "@/lib/database/client";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { HANG_MS } from "@/lib/testing/hang";
import { testDeps } from "@/lib/testing/deps";
import { sessionCookie, TEST_ORIGIN, testRequest, withParams } from "@/lib/testing/requests";

const database = useDatabase();
const authenticateToken = () => Promise.reject(new Error("unreachable"));
const route = createRoute({ authenticateToken, databaseWaiting: () => 0 });

const echo = defineOperation({
  id: "echo",
  method: "POST",
  path: "/echo/{name}",
  tag: "Test",
  summary: "",
  permission: "runs:read",
  params: z.strictObject({ name: z.string().max(5) }),
  body: z.strictObject({ n: z.int() }),
  response: z.strictObject({ n: z.int() }),
});
const POST = route(echo, async ({ body }) => ({ data: { n: body.n } }));

async function post(facts: Parameters<typeof testRequest>[1], params = { name: "a" }) {
  const cookie = await sessionCookie(await buildUser(testDeps(database), "viewer"));
  return POST(testRequest("/echo/a", { method: "POST", cookie, origin: TEST_ORIGIN, ...facts }), withParams(params));
}

describe(verifies("http:csrf", "a change authenticated by a session cookie"), () => {
  test("is accepted from our own pages", async () => {
    const response = await post({ body: { n: 1 }, headers: { "sec-fetch-site": "same-origin" } });
    expect([response.status, await response.json()]).toEqual([200, { n: 1 }]);
  });

  test.each([
    ["another site", { origin: "https://evil.example" }],
    ["another port", { origin: "http://localhost:4000" }],
    ["a page without an origin", { origin: "null" }],
    ["nobody says where", { origin: undefined }],
    ["a sibling domain", { headers: { "sec-fetch-site": "same-site" } }],
    ["a cross-site form", { headers: { "sec-fetch-site": "cross-site" } }],
  ])("is refused when it comes from %s", async (_where, facts) => {
    const response = await post({ body: { n: 1 }, ...facts });
    expect(response.status).toBe(403);
  });
});

describe(verifies("http:body", "a body"), () => {
  test("that is not JSON is refused with where it breaks", async () => {
    const response = await post({ body: '{"n":1' });
    expect(response.status).toBe(422);
    expect((await response.json()).error.message).toBe("The body is not JSON: it breaks at line 1, column 7.");
    const spilled = await post({ body: '{"n": hunter2-is-my-password}' });
    expect(await spilled.text()).not.toContain("hunter2");
  });

  test("of another type is refused, so that a plain form cannot send one", async () => {
    expect((await post({ body: "n=1", headers: { "content-type": "text/plain" } })).status).toBe(422);
  });

  test("over the limit is refused before it is parsed", async () => {
    const response = await post({ body: JSON.stringify({ n: "x".repeat(BODY_SIZE_BYTES_MAX) }) });
    expect([response.status, (await response.json()).error.code]).toEqual([413, "too_large"]);
  });

  test.each([
    ["the same key twice", '{"n":1,"n":2}'],
    ["the same key twice, once in another spelling", String.raw`{"n":1,"\u006e":2}`],
    ["the same key twice, deep inside", '{"n":1,"more":[{"a":{"k":1,"k":1}}]}'],
    ["a key __proto__", '{"n":1,"__proto__":{"admin":true}}'],
    ["a number that is none", '{"n":1e400}'],
    ["a whole number that would become its neighbour", '{"n":9007199254740993}'],
  ])("with %s is refused, because others could read it differently than we do", async (_what, body) => {
    const response = await post({ body });
    const { error } = await response.json();
    expect([response.status, error.code]).toEqual([422, "invalid_request"]);
    expect(error.message).toMatch(/^The body (has|holds) .*, in or near "(n|k|__proto__)"\.$/);
  });

  test("with equal keys in different objects, and quotes and colons inside of text, is read", async () => {
    const response = await post({ body: String.raw`{"n":7,"a":{"n":1},"b":[{"n":"{\"n\":1,\"n\":2}"},{"n":"\\"}]}` });
    expect((await response.json()).error.issues.map((issue: { path: string }) => issue.path)).toEqual(["body"]);
  });

  test("and a path that are both wrong are reported at once", async () => {
    const response = await post({ body: { n: "1", extra: true } }, { name: "too long" });
    const { error } = await response.json();
    expect(error.issues.map((issue: { path: string }) => issue.path)).toEqual(["path.name", "body.n", "body"]);
  });
});

describe(verifies("http:fault", "an internal error"), () => {
  const broken = (operation: typeof echo, handler: () => Promise<{ data: { n: number } }>) => async () => {
    const cookie = await sessionCookie(await buildUser(testDeps(database), "viewer"));
    const request = testRequest("/echo/a", {
      method: "POST",
      cookie,
      origin: TEST_ORIGIN,
      body: { n: 1 },
      headers: { "x-request-id": "req_known" },
    });
    return route(operation, handler)(request, withParams({ name: "a" }));
  };

  test("is reported as one, with the request id and no internals", async () => {
    const response = await broken(echo, () => Promise.reject(new Error("password=hunter2 at db:5432")))();
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain("req_known");
    expect(text).not.toContain("hunter2");
  });

  test("includes an answer that breaks the documented form", async () => {
    const response = await broken(echo, async () => ({ data: { n: 1.5 } }))();
    expect(response.status).toBe(500);
  });
});

test(
  verifies(
    "protection:database",
    "while statements queue for the database a request is refused and a probe is not; both work when it has caught up",
  ),
  async () => {
    const narrow = connect(database.url, 2, { waitMs: HANG_MS });
    const busy = createRoute({ authenticateToken, databaseWaiting: () => poolUse(narrow).waiting });
    const [echoBusy, healthBusy] = [
      busy(echo, async ({ body }) => ({ data: { n: body.n } })),
      busy(getHealth, async () => ({ data: { status: "ok" as const } })),
    ];
    const cookie = await sessionCookie(await buildUser(testDeps(database), "viewer"));
    const ask = () =>
      echoBusy(
        testRequest("/echo/a", { method: "POST", cookie, origin: TEST_ORIGIN, body: { n: 1 } }),
        withParams({ name: "a" }),
      );
    const [taken, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async () => {
      taken.resolve();
      await free.promise;
    };
    const held = narrow.$transaction(hold, { timeout: HANG_MS, maxWait: HANG_MS });
    await taken.promise;
    const line = Array.from({ length: DATABASE_WAITING_MAX + 2 }, () => narrow.$queryRaw`SELECT 1`);
    await vi.waitFor(() => expect(poolUse(narrow).waiting).toBeGreaterThan(DATABASE_WAITING_MAX), HANG_MS);
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await refused.json()).error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("wait for a connection"),
    });
    expect((await healthBusy(testRequest("/healthz"), withParams())).status).toBe(200);
    free.resolve();
    await Promise.all([held, ...line]);
    expect((await ask()).status).toBe(200);
    await narrow.$disconnect();
  },
);

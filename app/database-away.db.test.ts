import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { OPERATIONS } from "@/lib/http/operations";
import { connect, type Db } from "@/lib/database/client";
import { openApiBench } from "@/lib/testing/api-bench";
import { openCountingLine } from "@/lib/testing/counting-line";
import { useDatabase } from "@/lib/testing/database";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { sessionCookie, TEST_ORIGIN, testRequest, withParams } from "@/lib/testing/requests";

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

const database = useDatabase();
const files = import.meta.glob<Record<string, Handler>>("./**/route.ts");
const ASKING = OPERATIONS.filter(({ permission }) => permission !== "public").map(
  ({ method, path, ownDoor = false }) => ({ method, path, ownDoor }),
);

let away: Db;
let bench: Awaited<ReturnType<typeof openApiBench>>;
let login: Awaited<ReturnType<typeof bench.login>>;
beforeAll(async () => {
  bench = await openApiBench(database);
  login = await bench.login("admin");
  away = connect("postgresql://nobody@127.0.0.1:1/none", 2);
  Object.assign(globalThis, { __kimitsuDb: away, __kimitsuRuntime: { ...bench.deps, db: away } });
});
afterAll(async () => {
  releaseAll();
  Object.assign(globalThis, { __kimitsuDb: database.db });
  await away.$disconnect();
});

async function send(method: string, path: string, facts: Parameters<typeof testRequest>[1]): Promise<Response> {
  const file = Object.keys(files).find(
    (name) => name.replace("(console)/", "") === `.${path.replaceAll("{", "[").replaceAll("}", "]")}/route.ts`,
  );
  const handler = file && (await files[file]!())[method];
  if (!handler) throw new Error(`no ${method} for ${path}`);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const address = path.replaceAll(/\{(\w+)\}/g, "x");
  return handler(
    testRequest(address, { method, ...(method === "GET" ? {} : { body: {} }), ...facts }),
    withParams(Object.fromEntries(names.map((name) => [name, "x"]))),
  );
}

async function expectAway(response: Response): Promise<string> {
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error).toEqual({
    code: "unavailable",
    message: expect.stringContaining("The database cannot be reached"),
    request_id: expect.any(String),
    issues: [],
  });
  return error.message;
}

describe(
  verifies(
    "http:database-away",
    "while the database is unavailable every call is answered with 503, in the one shape, with Retry-After",
  ),
  () => {
    test.each(ASKING)("$method $path, by token and by session", async ({ method, path, ownDoor }) => {
      await expectAway(await send(method, path, { token: login.token }));
      const message = await expectAway(
        await send(method, path, { cookie: await sessionCookie(login.user), origin: TEST_ORIGIN }),
      );
      // Operations that authenticate callers themselves start work before anyone is authenticated.
      if (!ownDoor) expect(message).toContain("Nothing was changed.");
    });

    test("when it fails in the middle of a change, the caller is not told that nothing happened", async () => {
      const line = await openCountingLine(database.url);
      Object.assign(globalThis, { __kimitsuDb: line.db, __kimitsuRuntime: { ...bench.deps, db: line.db } });
      const hold = holdAt("start-run:before-commit");
      const answer = send("POST", "/runs", { token: login.token, body: { workflow: "main" } });
      const standing = await hold.reached();
      line.cut();
      standing.release();
      expect(await expectAway(await answer)).toContain("Whether the change was made is not known");
      await line.close();
    });
  },
);

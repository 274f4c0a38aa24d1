import { beforeAll, describe, expect, test } from "vitest";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { GET, POST } from "./route";

const database = useDatabase();
const WITH_PARAMS =
  "kind: workflow\nname: main\nversion: '1.2.0'\nparams: { schema: { type: object, additionalProperties: false, required: [text], properties: { text: { type: string }, count: { type: integer, minimum: 1 }, key: { type: string, secret: true } } } }\npipeline:\n  - id: work\n    agent: ./agents/worker.agent.yaml\n";
const SUB =
  "kind: workflow\nname: inner\nvisibility: sub-workflow\npipeline:\n  - id: shape\n    transform: { inputs: [{ from: '{{ params.x }}' }], ops: [] }\nparams: { schema: { type: object, properties: { x: { type: array } } } }\n";

let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
beforeAll(async () => {
  bench = await openApiBench(database, { workflow: WITH_PARAMS, files: { "workflows/inner.workflow.yaml": SUB } });
  token = (await bench.login("operator", { name: "Ana" })).token;
});

const start = (body: unknown, headers: Record<string, string> = {}) =>
  ask(POST, "/runs", { method: "POST", token, body, headers });
const list = (query: string) => ask(GET, `/runs${query}`, { token });
const countRuns = () => database.db.run.count();

describe("202", () => {
  test("a run is created, waits for a worker, and keeps a secret param out of its row", async () => {
    const { status, body } = await start({ workflow: "main", params: { text: "hello", key: "s3cret-value" } });
    expect([status, Object.keys(body)]).toEqual([202, ["run_id"]]);
    const row = await database.db.run.findUniqueOrThrow({ where: { id: body.run_id } });
    expect(row).toMatchObject({
      status: "pending",
      workflow: "main",
      version: "1.2.0",
      params: { text: "hello", key: "[secret]" },
      startedByKind: "token",
    });
    expect(JSON.stringify(row)).not.toContain("s3cret-value");
    expect(bench.woken).toContain(body.run_id);
  });
});

describe("Idempotency-Key", () => {
  const body = { workflow: "main", params: { text: "once" } };

  test("the same request gives the same run, and its wake notification is sent once", async () => {
    const before = await countRuns();
    const first = await start(body, { "idempotency-key": "same" });
    const second = await start(body, { "idempotency-key": "same" });
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(await countRuns()).toBe(before + 1);
    expect(bench.woken.filter((id) => id === first.body.run_id)).toHaveLength(1);
  });

  test("twelve equal requests at once make one run", async () => {
    const before = await countRuns();
    const answers = await Promise.all(Array.from({ length: 12 }, () => start(body, { "idempotency-key": "storm" })));
    expect(new Set(answers.map((answer) => answer.body.run_id)).size).toBe(1);
    expect(await countRuns()).toBe(before + 1);
  });

  test("another request under the key is refused with 409 and starts nothing", async () => {
    await start(body, { "idempotency-key": "taken" });
    const before = await countRuns();
    const answer = await start({ workflow: "main", params: { text: "other" } }, { "idempotency-key": "taken" });
    expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
    expect(await countRuns()).toBe(before);
  });

  test("each caller has keys of their own", async () => {
    const other = await bench.login("operator");
    const first = await start(body, { "idempotency-key": "shared" });
    const second = await ask(POST, "/runs", {
      method: "POST",
      token: other.token,
      body,
      headers: { "idempotency-key": "shared" },
    });
    expect(second.status).toBe(202);
    expect(second.body.run_id).not.toBe(first.body.run_id);
  });

  test("a refused request leaves the key free", async () => {
    expect((await start({ workflow: "main", params: {} }, { "idempotency-key": "fix" })).status).toBe(422);
    expect((await start(body, { "idempotency-key": "fix" })).status).toBe(202);
  });

  test("a key is free again after a day", async () => {
    const first = await start(body, { "idempotency-key": "daily" });
    bench.clock.advance(24 * 3600_000 - 1);
    expect((await start(body, { "idempotency-key": "daily" })).body).toEqual(first.body);
    bench.clock.advance(1);
    expect((await start(body, { "idempotency-key": "daily" })).body).not.toEqual(first.body);
  });

  test("an invalid key is refused", async () => {
    const { status, body: refusal } = await start(body, { "idempotency-key": "x".repeat(256) });
    expect([status, refusal.error.issues[0].path]).toEqual([422, "header.idempotency-key"]);
  });
});

describe("401 and 403", () => {
  test("without a sign-in, and with a role or token that may not start runs", async () => {
    expect((await ask(POST, "/runs", { method: "POST", body: { workflow: "main" } })).status).toBe(401);
    const viewer = await bench.login("viewer");
    expect((await ask(POST, "/runs", { method: "POST", token: viewer.token, body: { workflow: "main" } })).status).toBe(
      403,
    );
    const narrow = await bench.login("admin", { scopes: ["runs:read"] });
    expect((await ask(POST, "/runs", { method: "POST", token: narrow.token, body: { workflow: "main" } })).status).toBe(
      403,
    );
  });
});

describe("404", () => {
  test("an unknown workflow, one that is only a part of others, and names that every object has", async () => {
    for (const workflow of ["nope", "inner", "constructor"])
      expect((await start({ workflow, params: {} })).status, workflow).toBe(404);
  });
});

describe("422", () => {
  test("every violation of the params is listed, and no run exists", async () => {
    const before = await countRuns();
    const { status, body } = await start({ workflow: "main", params: { count: 0, extra: true } });
    expect(status).toBe(422);
    expect(body.error.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      "params.count",
      "params.extra",
      "params.text",
    ]);
    expect(await countRuns()).toBe(before);
  });

  test("what the database cannot keep is refused as a mistake of the request", async () => {
    for (const text of ["a\0b", "half \ud800 pair"]) {
      const { status, body } = await start({ workflow: "main", params: { text } });
      expect([status, body.error.issues[0].path]).toEqual([422, "body.text"]);
    }
    expect(
      (await ask(POST, "/runs", { method: "POST", token, body: `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}` }))
        .status,
    ).toBe(422);
  });
});

describe("GET 422", () => {
  test.each(["zzz", "", "apr_01kc0000000000000000000000"])(
    "the cursor %j is refused instead of answered with the first page",
    async (cursor) => {
      const { status, body } = await list(`?cursor=${cursor}`);
      expect([status, body.error.issues]).toEqual([
        422,
        [
          {
            path: "query.cursor",
            message:
              "is not a cursor; give `next_cursor` of the page before, such as run_01kc…, or leave it out for the first page",
          },
        ],
      ]);
    },
  );
});

describe("GET 200", () => {
  test("newest first, in pages that join without gap or repeat", async () => {
    const whole = (await list("?limit=200")).body.items as { run_id: string }[];
    expect(whole.length).toBe(await countRuns());
    const ids = whole.map((item) => item.run_id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    const seen: string[] = [];
    for (let cursor = ""; ;) {
      const { body } = await list(`?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map((item: { run_id: string }) => item.run_id));
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(ids);
  });

  test("each filter narrows", async () => {
    const { body: made } = await start({ workflow: "main", params: { text: "zanzibar" } });
    bench.clock.advance(60_000);
    const only = async (query: string) => (await list(query)).body.items.map((item: { run_id: string }) => item.run_id);
    expect(await only("?q=zanzibar")).toEqual([made.run_id]);
    expect(await only(`?q=${made.run_id}`)).toEqual([made.run_id]);
    expect(await only("?q=zanzibar&status=failed")).toEqual([]);
    expect(await only("?q=zanzibar&status=failed,pending&agent=worker&workflow=main")).toEqual([made.run_id]);
    expect(await only("?agent=nobody")).toEqual([]);
    expect(await only("?workflow=other")).toEqual([]);
    expect(await only(`?from=${bench.clock.now().toISOString()}`)).toEqual([]);
    expect(await only(`?q=zanzibar&to=${bench.clock.now().toISOString()}`)).toEqual([made.run_id]);
  });

  test("a wrong filter is refused with what would be right", async () => {
    const { status, body } = await list("?status=done&from=today");
    expect(status).toBe(422);
    expect(body.error.message).toContain("pending_approval");
    expect(body.error.issues.map((issue: { path: string }) => issue.path)).toEqual(["query.status.0", "query.from"]);
  });
});

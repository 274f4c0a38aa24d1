import { beforeAll, describe, expect, test } from "vitest";
import { POST as START } from "@/app/runs/route";
import { GET as LIST } from "@/app/runs/route";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { POST as CANCEL } from "../cancel/route";
import { GET } from "../route";
import { POST } from "./route";

const database = useDatabase();

/** The first step does its call and ends well; the second reaches for a tool and fails with whatever it gets. */
const WORKFLOW = `kind: workflow
name: main
params: { schema: { type: object, properties: { key: { type: string, secret: true } } } }
pipeline:
  - id: first
    agent: ./agents/worker.agent.yaml
  - id: second
    agent: ./agents/second.agent.yaml
    depends_on: [first]
    for_each: { from: "{{ step.first.items }}", max_failures: 0, concurrency: 1 }
    params: { item: "{{ item }}" }
`;
const SECOND = `name: second\nmodel: standard\nparams: { schema: { type: object, properties: { item: { type: string } } } }\nprompt: { system: "Work.", user: "Item {{ params.item }}." }\nservers: []\noutput: { schema: { type: object, required: [ok] } }\nmax_turns: 1\n`;
const script = (bad: string) => `agents:
  worker:
    turns:
      - call: [{ tool: echo, arguments: { text: look } }]
      - output: { items: [a, b] }
  second:
    params: { item: "Item (\\\\w)" }
    rules:
      - { when: "params.item == 'a'", output: { ok: a } }
      - { when: "params.item == 'b'", output: ${bad} }
`;

let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
beforeAll(async () => {
  bench = await openApiBench(database, {
    workflow: WORKFLOW,
    allowlist: "- echo",
    script: script("{ wrong: b }"),
    files: { "agents/second.agent.yaml": SECOND },
  });
  token = (await bench.login("operator")).token;
});

const post = (handler: typeof POST, runId: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  ask(handler, `/runs/${runId}`, { method: "POST", token, body, headers }, { runId });
const read = async (runId: string) => (await ask(GET, `/runs/${runId}`, { token }, { runId })).body;
async function failed(params: Record<string, unknown> = {}) {
  const { body } = await ask(START, "/runs", { method: "POST", token, body: { workflow: "main", params } });
  await bench.advance(body.run_id);
  const run = await read(body.run_id);
  expect(run.steps.map((step: { id: string; status: string }) => [step.id, step.status])).toEqual([
    ["first", "complete"],
    ["second", "failed"],
  ]);
  return body.run_id as string;
}

describe("202", () => {
  test("the new run continues at the failed step: completed steps keep their output and are neither done nor paid again", async () => {
    const old = await failed();
    const calls = (await bench.server.calls("echo")).length;
    const { status, body } = await post(POST, old);
    expect(status).toBe(202);
    const fresh = await read(body.run_id);
    expect(fresh).toMatchObject({
      retry_of_run_id: old,
      status: "pending",
      steps: [
        { id: "first", status: "complete", output: { items: ["a", "b"] }, metrics: { llm_calls: 0 } },
        { id: "second", status: "pending", output: null },
      ],
    });
    const items = await database.db.step.findMany({
      where: { runId: body.run_id, itemIndex: { not: null } },
      orderBy: { itemIndex: "asc" },
    });
    expect(items.map((item) => [item.itemIndex, item.status, item.output])).toEqual([
      [0, "complete", { ok: "a" }],
      [1, "pending", null],
    ]);
    await bench.advance(body.run_id);
    const ended = await read(body.run_id);
    expect(ended).toMatchObject({ status: "failed", totals: { llm_calls: 1, tool_calls: 0 } });
    expect((await bench.server.calls("echo")).length).toBe(calls);
    const listed = (await ask(LIST, `/runs?q=${body.run_id}`, { token })).body.items;
    expect(listed[0]).toMatchObject({ run_id: body.run_id, retry_of_run_id: old });
    expect(await database.db.event.count({ where: { chainId: old, type: "run.retried" } })).toBe(1);
  });

  test("under an Idempotency-Key it happens once", async () => {
    const old = await failed();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(POST, old, {}, { "idempotency-key": "again" })),
    );
    expect(new Set(answers.map((answer) => answer.body.run_id)).size).toBe(1);
    expect(await database.db.run.count({ where: { retryOfRunId: old } })).toBe(1);
  });
});

describe("409", () => {
  test("of eight retries at once one happens, and the others learn which", async () => {
    const old = await failed();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(POST, old)));
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(1);
    const won = answers.find((answer) => answer.status === 202)!.body.run_id;
    for (const lost of answers.filter((answer) => answer.status !== 202))
      expect([lost.status, lost.body.error.message]).toEqual([409, expect.stringContaining(won)]);
    expect(await database.db.run.count({ where: { retryOfRunId: old } })).toBe(1);
    await bench.advance(won);
    expect((await post(POST, old)).status).toBe(202);
  });

  test("a run that has not ended; after it is cancelled it can be retried", async () => {
    const { body } = await ask(START, "/runs", { method: "POST", token, body: { workflow: "main" } });
    expect((await post(POST, body.run_id)).body.error.message).toContain(
      "is pending; only a run that failed or was cancelled",
    );
    await post(CANCEL, body.run_id);
    expect((await post(POST, body.run_id)).status).toBe(202);
  });
});

describe("404 and 422", () => {
  test("an unknown run", async () => {
    expect((await post(POST, "run_none")).status).toBe(404);
  });

  test("secret params must be given again, and nothing else can be", async () => {
    const old = await failed({ key: "first-secret" });
    const refused = await post(POST, old, { secrets: { other: 1 } });
    expect([refused.status, refused.body.error.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      422,
      ["secrets.key", "secrets.other"],
    ]);
    const { status, body } = await post(POST, old, { secrets: { key: "second-secret" } });
    expect(status).toBe(202);
    expect((await read(body.run_id)).params).toEqual({ key: "[secret]" });
  });
});

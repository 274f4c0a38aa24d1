import { beforeAll, describe, expect, test } from "vitest";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { POST as START } from "../route";
import { POST as APPROVE } from "./approve/route";
import { POST as CANCEL } from "./cancel/route";
import { GET as ENVELOPE } from "./envelope/route";
import { GET as OUTPUT } from "./output/route";
import { GET } from "./route";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let operator: Awaited<ReturnType<typeof bench.login>>;
let reviewer: typeof operator;
beforeAll(async () => {
  bench = await openApiBench(database);
  operator = await bench.login("operator", { name: "Ana" });
  reviewer = await bench.login("reviewer", { name: "Rea" });
});

async function started() {
  const { body } = await ask(START, "/runs", { method: "POST", token: operator.token, body: { workflow: "main" } });
  const runId = body.run_id as string;
  await bench.advance(runId);
  return runId;
}
const read = (runId: string, handler = GET) => ask(handler, `/runs/${runId}`, { token: operator.token }, { runId });
const post = (handler: typeof CANCEL, runId: string, body: unknown, token = operator.token) =>
  ask(handler, `/runs/${runId}`, { method: "POST", token, body }, { runId });

describe("200", () => {
  test("the envelope has exactly its fields, of a run that waits for people", async () => {
    const runId = await started();
    const { status, body } = await read(runId);
    expect(status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const metrics = {
      tokens_in: expect.any(Number),
      tokens_out: expect.any(Number),
      cost_usd: expect.any(Number),
      llm_calls: 1,
      tool_calls: 2,
      duration_ms: expect.any(Number),
    };
    expect(body).toEqual({
      run_id: runId,
      workflow: "main",
      version: null,
      config_hash: expect.stringMatching(/^sha256:/),
      status: "pending_approval",
      error: null,
      started_by: { kind: "token", id: operator.id, name: "operator's" },
      parent_run_id: null,
      retry_of_run_id: null,
      params: {},
      steps: [
        { id: "work", type: "agent", status: "pending_approval", output: null, error: null, degraded: false, metrics },
      ],
      pending_approvals: [
        {
          approval_id: expect.stringMatching(/^apr_/),
          call_id: expect.stringMatching(/^call_/),
          step_id: "work",
          agent: "worker",
          server: "recorder",
          tool: "t-none",
          arguments: { text: "act" },
          danger: "high",
          asked_because: [
            {
              layer: "require_approval",
              source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
              reason: "Irreversible",
            },
          ],
          on_reject: "recover",
          min_approvals: 1,
          approvals: 0,
          expires_at: time,
          digest: expect.stringMatching(/^sha256:/),
        },
      ],
      pending_reviews: [],
      pending_settlements: [],
      totals: metrics,
      created_at: time,
      updated_at: time,
      completed_at: null,
    });
    expect(body.totals.tokens_in).toBeGreaterThan(0);
    expect((await read(runId, ENVELOPE)).body).toEqual(body);
  });

  test("a complete run has its steps' outputs, no pending approvals, and its output", async () => {
    const runId = await started();
    await post(APPROVE, runId, {}, reviewer.token);
    expect((await read(runId, OUTPUT)).body).toEqual({ run_id: runId, status: "pending_approval", output: null });
    await bench.advance(runId);
    const { body } = await read(runId);
    expect(body).toMatchObject({
      status: "complete",
      pending_approvals: [],
      steps: [{ status: "complete", output: { did: "succeeded" } }],
      completed_at: expect.any(String),
    });
    expect((await read(runId, OUTPUT)).body).toEqual({
      run_id: runId,
      status: "complete",
      output: { work: { did: "succeeded" } },
    });
  });
});

describe("307", () => {
  test("a browser is sent to the page of the run, signed in or not", async () => {
    const answer = await ask(
      GET,
      "/runs/run_x",
      { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } },
      { runId: "run_x" },
    );
    expect([answer.status, answer.headers.get("location")]).toEqual([307, "/history/run_x"]);
  });
});

describe("401 and 404", () => {
  test("a program must sign in, and an unknown run is not found", async () => {
    expect((await ask(GET, "/runs/run_x", {}, { runId: "run_x" })).status).toBe(401);
    for (const handler of [GET, ENVELOPE, OUTPUT]) expect((await read("run_x", handler)).status).toBe(404);
    expect((await post(CANCEL, "run_x", {})).status).toBe(404);
  });

  test("a NUL in the path is a mistake of the request", async () => {
    expect((await read("run_\0")).status).toBe(422);
  });
});

describe("cancel", () => {
  test("ends the run, withdraws what waits, and sends nothing", async () => {
    const runId = await started();
    const before = (await bench.server.calls("t-none")).length;
    expect((await post(CANCEL, runId, { reason: "enough" })).body).toEqual({ run_id: runId, status: "cancelled" });
    expect((await read(runId)).body).toMatchObject({ status: "cancelled", pending_approvals: [] });
    expect(await database.db.approval.findFirstOrThrow({ where: { runId } })).toMatchObject({ status: "cancelled" });
    expect((await bench.server.calls("t-none")).length).toBe(before);
  });

  test("409 for a run that has ended, and nothing changes", async () => {
    const runId = await started();
    await post(CANCEL, runId, {});
    const { status, body } = await post(CANCEL, runId, {});
    expect([status, body.error.message]).toEqual([409, `Run ${runId} is cancelled already; nothing was changed.`]);
  });

  test("403 for a reviewer", async () => {
    expect((await post(CANCEL, await started(), {}, reviewer.token)).status).toBe(403);
  });
});

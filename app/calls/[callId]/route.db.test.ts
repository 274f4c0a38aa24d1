import { beforeAll, describe, expect, test } from "vitest";
import { POST as DECIDE } from "@/app/approvals/[approvalId]/decide/route";
import { GET as LIST } from "@/app/runs/[runId]/calls/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { startHookServer } from "@/lib/testing/hook-server";
import { ask, ASKING, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { makeChanges } from "@/lib/testing/make-changes";
import { GET } from "./route";

const database = useDatabase();
const SECRET = "sentinel-secret-value-4711";
let bench: Awaited<ReturnType<typeof openApiBench>>;
let viewer: string;
let starter: string;
let reviewer: Awaited<ReturnType<typeof bench.login>>;
beforeAll(async () => {
  bench = await openApiBench(database);
  await people();
});
async function people() {
  [viewer, starter, reviewer] = [
    (await bench.login("viewer", { scopes: ["runs:read"] })).token,
    (await bench.login("operator")).token,
    await bench.login("reviewer", { name: "Rea" }),
  ];
}

interface WireCall {
  call_id: string;
  tool: string;
  status: string;
  [name: string]: unknown;
}

async function started(decision?: object): Promise<string> {
  const runId = (await ask(START, "/runs", { method: "POST", token: starter, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  if (!decision) return runId;
  const [approval] = await bench.pendingOf(runId);
  expect(
    (await ask(DECIDE, "/x", { method: "POST", token: reviewer.token, body: decision }, { approvalId: approval!.id }))
      .status,
  ).toBe(200);
  await bench.advance(runId);
  return runId;
}
const list = async (runId: string, query = "") =>
  (await ask(LIST, `/runs/${runId}/calls${query}`, { token: viewer }, { runId })).body as {
    items: WireCall[];
    next_cursor: string | null;
  };
const read = (callId: string) => ask(GET, `/calls/${callId}`, { token: viewer }, { callId });
const byTool = async (runId: string, tool: string) => (await list(runId)).items.find((call) => call.tool === tool)!;

describe(verifies("calls:api", "200"), () => {
  test("a call that nobody was asked about, with its result in the one shape", async () => {
    const runId = await started();
    const { call_id: callId } = await byTool(runId, "echo");
    const { status, body } = await read(callId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      call_id: callId,
      run_id: runId,
      step_id: "work",
      agent: "worker",
      server: "recorder",
      tool: "echo",
      status: "succeeded",
      danger: expect.any(String),
      arguments: { text: "look" },
      asked_because: [],
      approvals: [],
      error: null,
      cost_usd: 0,
      parent_call_id: null,
      created_at: expect.any(String),
      executing_at: expect.any(String),
      completed_at: expect.any(String),
      result: { success: true, output: expect.any(String), content: expect.any(Array), is_error: false, error: null },
    });
    expect(Object.keys(body.result)).toEqual(
      expect.arrayContaining(["success", "output", "content", "structured_content", "is_error", "error"]),
    );
    expect(body.policy).toContainEqual(
      expect.objectContaining({
        layer: "allow",
        outcome: "allow",
        source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
      }),
    );
  });

  test("one that waits for people has no result, and says why it was asked", async () => {
    const call = await byTool(await started(), "t-none");
    expect(call).toMatchObject({
      status: "pending_approval",
      result: null,
      executing_at: null,
      completed_at: null,
      asked_because: [{ layer: "require_approval", reason: "Irreversible", source: expect.stringMatching(/:\d+$/) }],
    });
    expect(call.approvals).toMatchObject([
      { approval_id: expect.stringMatching(/^apr_/), status: "pending", decisions: [] },
    ]);
  });

  test("one that people decided says who, how, why and through which token", async () => {
    const rejected = await byTool(await started({ decision: "reject", reason: "Wrong" }), "t-none");
    expect(rejected).toMatchObject({ status: "rejected", result: null });
    expect(rejected.approvals).toMatchObject([
      {
        status: "rejected",
        decisions: [
          {
            user: { id: reviewer.user.id, name: "Rea" },
            token: { id: reviewer.id, name: "reviewer's" },
            verdict: "rejected",
            reason: "Wrong",
            at: expect.any(String),
          },
        ],
      },
    ]);
    expect(await byTool(await started({ decision: "approve" }), "t-none")).toMatchObject({
      status: "succeeded",
      approvals: [{ status: "approved" }],
      result: { success: true },
    });
  });

  test("the list is in the order of the calls and joins without gap or repeat", async () => {
    const runId = await started();
    const whole = await list(runId);
    expect(whole.items.map(({ tool }) => tool).sort()).toEqual(["echo", "t-none"]);
    expect(whole.items.map(({ call_id }) => call_id)).toEqual(whole.items.map(({ call_id }) => call_id).toSorted());
    const first = await list(runId, "?limit=1");
    const rest = await list(runId, `?limit=1&cursor=${first.next_cursor}`);
    expect([...first.items, ...rest.items]).toEqual(whole.items);
    expect([whole.next_cursor, rest.next_cursor]).toEqual([null, null]);
    expect((await read(whole.items[0]!.call_id)).body).toEqual(whole.items[0]);
  });

  test("a long result is left out of the list, which says so, and is whole in the call itself", async () => {
    const runId = await started();
    const { call_id: callId } = await byTool(runId, "echo");
    const output = "x".repeat(200_000);
    const result = {
      success: true,
      output,
      content: [{ type: "text", text: output }],
      structured_content: null,
      is_error: false,
      error: null,
    };
    const ended = {
      kind: "call_ended",
      callId,
      status: "succeeded",
      result,
      error: null,
      durationMs: 1,
      refundUsd: 0,
    } as const;
    await makeChanges(database.db, runId, () => [{ ...ended, at: new Date().toISOString() }]);
    expect(await byTool(runId, "echo")).toMatchObject({ result: null, result_left_out: true });
    expect((await read(callId)).body).toMatchObject({ result: { output }, result_left_out: false });
  });
});

describe(verifies("calls:api", "a webhook, a secret"), () => {
  test("the answer to a webhook has the one shape too, and no secret is in it", async () => {
    const target = await startHookServer(({ headers }) => ({
      status: 200,
      headers: {},
      text: JSON.stringify({ heard: headers["x-key"] }),
    }));
    const workflow = `kind: workflow\nname: main\nenv: [{ name: HOOK_KEY, secret: true }]\npipeline:\n  - { id: notify, webhook: { url: "${target.url}", headers: { X-Key: "{{ env.HOOK_KEY }}" }, body: { text: hello } } }\n`;
    bench = await openApiBench(database, { workflow, processEnv: { HOOK_KEY: SECRET } });
    await people();
    const { items } = await list(await started());
    expect(target.received[0]!.headers["x-key"]).toBe(SECRET);
    expect(items).toMatchObject([
      {
        server: "kimitsu/webhook",
        agent: null,
        status: "succeeded",
        result: {
          success: true,
          is_error: false,
          error: null,
          content: [{ type: "text" }],
          structured_content: { status: 200 },
        },
      },
    ]);
    expect(JSON.stringify(items)).not.toContain(SECRET);
  });

  test("a call that failed says so in the same shape", async () => {
    bench = await openApiBench(database, {
      script: ASKING.script.replace("tool: echo", "tool: fail-result"),
      allowlist: ASKING.allowlist.replace("- echo", "- fail-result"),
    });
    await people();
    const failed = await byTool(await started(), "fail-result");
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "tool_error" },
      result: { success: false, is_error: true, error: expect.stringContaining("failed on purpose") },
    });
  });
});

describe("404", () => {
  test("for a call and for a run that do not exist", async () => {
    expect((await read("call_none")).status).toBe(404);
    expect((await ask(LIST, "/runs/run_none/calls", { token: viewer }, { runId: "run_none" })).status).toBe(404);
  });
});

describe("403", () => {
  test("without the scope runs:read", async () => {
    const { token } = await bench.login("viewer", { scopes: ["registry:read"] });
    expect((await ask(GET, "/x", { token }, { callId: "call_none" })).status).toBe(403);
    expect((await ask(LIST, "/x", { token }, { runId: "run_none" })).status).toBe(403);
  });
});

describe("401", () => {
  test("without a sign-in", async () => {
    expect((await ask(GET, "/x", {}, { callId: "call_none" })).status).toBe(401);
    expect((await ask(LIST, "/x", {}, { runId: "run_none" })).status).toBe(401);
  });
});

describe("422", () => {
  test.each(["?cursor=abc", "?limit=0", "?cursor=run_01kc"])("for %s", async (query) => {
    expect((await ask(LIST, `/x${query}`, { token: viewer }, { runId: "run_none" })).status).toBe(422);
  });
});

import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { POST as APPROVE } from "@/app/runs/[runId]/approve/route";
import { POST as CANCEL } from "@/app/runs/[runId]/cancel/route";
import { POST as RETRY } from "@/app/runs/[runId]/retry/route";
import { GET as RUN } from "@/app/runs/[runId]/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { startHookServer } from "@/lib/testing/hook-server";
import { POST } from "./route";

const database = useDatabase();
const SCRIPT =
  'agents:\n  worker:\n    turns:\n      - call: [{ tool: drop-after, arguments: { text: act } }]\n      - output: { got: "{{ status.drop-after }}" }\n';

let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
beforeAll(async () => {
  bench = await openApiBench(database, { script: SCRIPT, allowlist: "- drop-after" });
  token = (await bench.login("operator")).token;
});

async function unknown() {
  const runId = (await ask(START, "/runs", { method: "POST", token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  const call = await database.db.call.findFirstOrThrow({ where: { runId } });
  expect(call.status).toBe("outcome_unknown");
  return { runId, callId: call.id };
}
const settle = (callId: string, body: unknown, own = token) =>
  ask(POST, `/calls/${callId}/settle`, { method: "POST", token: own, body }, { callId });
const statusOf = async (runId: string) => (await ask(RUN, `/runs/${runId}`, { token }, { runId })).body.status;

describe("403", () => {
  test(
    verifies(
      "promise:7",
      "the person who started the run can neither resend a call that others approved nor settle it, except as failed",
    ),
    async () => {
      const own = await openApiBench(database, {
        script: SCRIPT,
        allowlist: "- name: drop-after\n  require_approval: { reason: big }",
      });
      onTestFinished(() => void Object.assign(globalThis, { __kimitsuRuntime: bench.deps }));
      const [starter, reviewer, other] = [
        await own.login("operator"),
        await own.login("reviewer"),
        await own.login("operator"),
      ];
      const approved = async () => {
        const runId = (await ask(START, "/runs", { method: "POST", token: starter.token, body: { workflow: "main" } }))
          .body.run_id as string;
        await own.advance(runId);
        const [approval] = await own.pendingOf(runId);
        expect(
          (
            await ask(
              APPROVE,
              `/runs/${runId}/approve`,
              { method: "POST", token: reviewer.token, body: { digest: approval!.digest } },
              { runId },
            )
          ).status,
        ).toBe(200);
        await own.advance(runId);
        return approval!.callId;
      };
      const [first, second] = [await approved(), await approved()];
      for (const outcome of ["did_not_happen", "happened"]) {
        const { status, body } = await settle(first, { outcome }, starter.token);
        expect([status, body.error.message]).toEqual([403, expect.stringContaining("any other operator can")]);
      }
      expect((await database.db.call.findUniqueOrThrow({ where: { id: first } })).status).toBe("outcome_unknown");
      expect((await settle(first, { outcome: "did_not_happen" }, other.token)).status).toBe(200);
      expect((await settle(second, { outcome: "failed" }, starter.token)).status).toBe(200);
    },
  );
});

describe("the envelope", () => {
  test(
    verifies(
      "run:settle:named",
      "names the call that waits to be settled, with what it would do and since when, until it is; of an ended run too",
    ),
    async () => {
      const waiting = async (runId: string) =>
        (await ask(RUN, `/runs/${runId}`, { token }, { runId })).body.pending_settlements;
      const { runId, callId } = await unknown();
      const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(await waiting(runId)).toEqual([
        {
          call_id: callId,
          step_id: "work",
          agent: "worker",
          server: "recorder",
          tool: "drop-after",
          summary: expect.stringContaining("text act"),
          arguments: { text: "act" },
          danger: "high",
          unknown_since: since,
        },
      ]);
      await settle(callId, { outcome: "failed" });
      expect(await waiting(runId)).toEqual([]);
      const other = await unknown();
      await ask(CANCEL, "/x", { method: "POST", token, body: {} }, { runId: other.runId });
      expect(await waiting(other.runId)).toMatchObject([{ call_id: other.callId }]);
    },
  );
});

describe("200", () => {
  test("it happened: the run continues with the result that the person gave, and nothing is sent again", async () => {
    const { runId, callId } = await unknown();
    const sent = (await bench.server.calls("drop-after")).length;
    expect(
      await settle(callId, { outcome: "happened", result: { id: 7 }, comment: "seen in the books" }),
    ).toMatchObject({ status: 200, body: { call_id: callId, run_id: runId, status: "succeeded" } });
    await bench.advance(runId);
    expect(await statusOf(runId)).toBe("complete");
    expect((await bench.server.calls("drop-after")).length).toBe(sent);
  });

  test("it did not happen: it is sent once more", async () => {
    const { runId, callId } = await unknown();
    const sent = (await bench.server.calls("drop-after")).length;
    expect((await settle(callId, { outcome: "did_not_happen" })).body.status).toBe("approved");
    await bench.advance(runId);
    expect((await bench.server.calls("drop-after")).length).toBe(sent + 1);
  });

  test("failed: the agent gets the failure", async () => {
    const { runId, callId } = await unknown();
    expect((await settle(callId, { outcome: "failed" })).body.status).toBe("failed");
    await bench.advance(runId);
    expect(await statusOf(runId)).toBe("complete");
  });
});

describe("a run that ended with a call whose outcome is unknown", () => {
  test(
    verifies("promise:3", "is not retried until a person has settled it: 409 with the calls, and nothing is sent"),
    async () => {
      const { runId, callId } = await unknown();
      const retry = () => ask(RETRY, `/runs/${runId}/retry`, { method: "POST", token, body: {} }, { runId });
      await ask(CANCEL, `/runs/${runId}/cancel`, { method: "POST", token, body: {} }, { runId });
      const refused = await retry();
      expect(refused).toMatchObject({
        status: 409,
        body: {
          error: {
            message: expect.stringContaining(`drop-after (${callId}). Settle what became of it first`),
            issues: [{ path: callId }],
          },
        },
      });
      expect(await database.db.run.count({ where: { retryOfRunId: runId } })).toBe(0);
      expect((await settle(callId, { outcome: "happened", result: "seen in the books" })).status).toBe(200);
      expect((await retry()).status).toBe(202);
    },
  );
});

describe("a webhook that was answered 503", () => {
  const files = (url: string) => ({
    "workflows/main.workflow.yaml": `kind: workflow\nname: main\npipeline:\n  - { id: notify, webhook: { url: "${url}", body: { order: 7 } } }\n`,
  });

  /** A run of it that waits for a person. */
  async function unanswered() {
    const target = await startHookServer(() => (target.received.length > 1 ? 200 : 503));
    const own = await openApiBench(database, { files: files(target.url) });
    onTestFinished(() => void Object.assign(globalThis, { __kimitsuRuntime: bench.deps }));
    const { token: operator } = await own.login("operator");
    const runId = (await ask(START, "/runs", { method: "POST", token: operator, body: { workflow: "main" } })).body
      .run_id as string;
    await own.advance(runId);
    const read = async () => (await ask(RUN, `/runs/${runId}`, { token: operator }, { runId })).body;
    const {
      status,
      pending_settlements: [waiting],
    } = await read();
    expect([status, waiting]).toEqual([
      "needs_human_review",
      expect.objectContaining({
        step_id: "notify",
        server: "kimitsu/webhook",
        tool: "POST",
        arguments: expect.objectContaining({ body: { order: 7 } }),
      }),
    ]);
    const retry = () => ask(RETRY, `/runs/${runId}/retry`, { method: "POST", token: operator, body: {} }, { runId });
    return {
      own,
      target,
      runId,
      read,
      retry,
      say: (body: object) => settle(waiting.call_id as string, body, operator),
    };
  }

  test(verifies("calls:outcomes", "is posted once more only when a person says that it did not happen"), async () => {
    const { own, target, runId, read, retry, say } = await unanswered();
    expect((await retry()).status, "a run that waits is not retried").toBe(409);
    expect(target.received).toHaveLength(1);
    expect((await say({ outcome: "did_not_happen", comment: "not in their books" })).body.status).toBe("approved");
    await own.advance(runId);
    expect(target.received).toHaveLength(2);
    expect(await read()).toMatchObject({ status: "complete", steps: [{ output: { status: 200 } }] });
  });

  test(
    verifies("calls:outcomes", "is not posted again when a person says that it happened, and the run continues"),
    async () => {
      const { own, target, runId, read, say } = await unanswered();
      expect((await say({ outcome: "happened", result: { id: 9 } })).body.status).toBe("succeeded");
      await own.advance(runId);
      expect(target.received).toHaveLength(1);
      expect(await read()).toMatchObject({
        status: "complete",
        steps: [{ output: { status: null, body: { id: 9 } } }],
      });
    },
  );

  test(
    verifies("calls:outcomes", "is posted again by a retry only after a person has counted it as failed"),
    async () => {
      const { own, target, runId, read, retry, say } = await unanswered();
      await ask(CANCEL, `/runs/${runId}/cancel`, { method: "POST", token, body: {} }, { runId });
      expect(await retry()).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining("kimitsu/webhook.POST") } },
      });
      expect((await say({ outcome: "failed" })).status).toBe(200);
      expect(await read()).toMatchObject({ status: "cancelled" });
      const again = await retry();
      expect([again.status, target.received.length]).toEqual([202, 1]);
      await own.advance(again.body.run_id as string);
      expect(target.received).toHaveLength(2);
    },
  );
});

describe("refusals", () => {
  test("409 when it is settled already, and when its run has ended and it would be sent", async () => {
    const { callId } = await unknown();
    await settle(callId, { outcome: "failed" });
    expect((await settle(callId, { outcome: "happened" })).body.error.message).toContain(
      "only a call whose outcome is unknown can be settled",
    );
    const other = await unknown();
    await ask(CANCEL, "/x", { method: "POST", token, body: {} }, { runId: other.runId });
    expect((await settle(other.callId, { outcome: "did_not_happen" })).status).toBe(409);
  });

  test("404, 403 and 422", async () => {
    expect((await settle("call_none", { outcome: "failed" })).status).toBe(404);
    expect((await settle("call_none", { outcome: "failed" }, (await bench.login("reviewer")).token)).status).toBe(403);
    expect((await settle("call_none", { outcome: "failed", result: 1 })).body.error.issues[0].path).toBe("body.result");
  });
});

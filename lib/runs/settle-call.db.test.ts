import { afterEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { executeCall } from "@/lib/runs/changes/call-executing";
import { changeRun, type OutsideChange } from "@/lib/runs/journal/change-run";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import { cancelRun } from "@/lib/runs/cancel-run";
import { retryRun } from "@/lib/runs/retry-run";
import { settleCall, type SettleCommand } from "@/lib/runs/settle-call";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { type EngineBench, eventTypes, openEngineBench } from "@/lib/testing/engine-bench";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { CALL_ID_META_KEY } from "@/lib/tools/call-tool";

const database = useDatabase();
afterEach(releaseAll);

const SCRIPT = `agents:
  worker:
    turns:
      - call: [{ tool: drop-after, arguments: { n: 1 } }]
    otherwise: { output: { ended: "{{ status.drop-after }}", told: "{{ results.drop-after }}" } }
`;

/** A run whose one call was sent and not answered. */
async function unknownCall() {
  const bench = await openEngineBench(database, { script: SCRIPT, allowlist: "- drop-after" });
  const runId = await bench.launch();
  const run = await bench.read(runId);
  expect(run.status).toBe("needs_human_review");
  expect(run.calls[0]!.status).toBe("outcome_unknown");
  expect(await bench.recorder.calls("drop-after")).toHaveLength(1);
  const settle = async (command: Omit<SettleCommand, "callId">) => {
    await settleCall(bench.deps, TEST_ACTOR, { callId: run.calls[0]!.id, ...command });
    await bench.advance(runId);
    return bench.read(runId);
  };
  return { bench, runId, callId: run.calls[0]!.id, settle };
}

describe("a call with unknown outcome", () => {
  test("waits for a person, is never sent again by itself, and continues with what they say became of it", async () => {
    const { bench, settle } = await unknownCall();
    const run = await settle({ outcome: "happened", result: { receipt: 7 } });
    expect(run.output).toEqual({ work: { ended: "succeeded", told: { receipt: 7 } } });
    expect(await bench.recorder.calls("drop-after")).toHaveLength(1);
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
  });

  test("is sent once more when they say that it did not happen", async () => {
    const { bench, settle } = await unknownCall();
    const run = await settle({ outcome: "did_not_happen" });
    expect(await bench.recorder.calls("drop-after")).toHaveLength(2);
    expect(run.calls[0]).toMatchObject({ status: "outcome_unknown", attempt: 2 });
  });

  test("counts as failed when they say so, and the agent gets the failure", async () => {
    const { bench, settle } = await unknownCall();
    const run = await settle({ outcome: "failed" });
    expect(run.output).toMatchObject({ work: { ended: "failed" } });
    expect(await bench.recorder.calls("drop-after")).toHaveLength(1);
  });

  test("is settled once: the second person learns how it was settled", async () => {
    const { bench, callId, settle } = await unknownCall();
    await settle({ outcome: "failed" });
    await expect(settleCall(bench.deps, TEST_ACTOR, { callId, outcome: "happened" })).rejects.toThrow(
      /is failed; only a call whose outcome is unknown/,
    );
  });

  test("of two at the same instant one wins", async () => {
    const { bench, callId } = await unknownCall();
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => settleCall(bench.deps, TEST_ACTOR, { callId, outcome: "happened" })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(
      await database.db.event.count({
        where: {
          type: "call.settled",
          chainId: (await bench.deps.db.call.findUniqueOrThrow({ where: { id: callId } })).runId,
        },
      }),
    ).toBe(1);
  });
});

test("a tool that is declared idempotent is called again automatically, three times in all, before a person is asked", async () => {
  const bench = await openEngineBench(database, {
    script: SCRIPT,
    allowlist: "- drop-after",
    server: "tools: { drop-after: { annotations: { idempotentHint: true } } }\n",
  });
  const run = await bench.read(await bench.launch());
  expect(run.calls[0]).toMatchObject({ status: "outcome_unknown", attempt: 3 });
  const sent = await bench.recorder.calls("drop-after");
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map((call) => (call.meta as Record<string, unknown>)[CALL_ID_META_KEY]))).toEqual(
    new Set([run.calls[0]!.id]),
  );
  // What may be done twice does not prevent a retry.
  await cancelRun(bench.deps, TEST_ACTOR, { runId: run.id });
  await retryRun(bench.deps, TEST_ACTOR, { runId: run.id });
});

describe("a call that was sent, and cannot be sent again although it may be", () => {
  const facts = {
    script: SCRIPT,
    allowlist: "- drop-after",
    server: "tools: { drop-after: { annotations: { idempotentHint: true }, cost_usd: 0.5 } }\n",
  };

  test.each<[string, (bench: EngineBench) => Promise<unknown>]>([
    ["the server is gone", ({ recorder }) => recorder.close()],
    [
      "the tool has changed",
      ({ recorder }) => recorder.change({ name: "drop-after", description: "Does more than before" }),
    ],
    ["the tool is gone", ({ recorder }) => recorder.remove("drop-after")],
  ])(verifies("promise:3", "%s: its outcome stays unknown, and a person is asked"), async (_what, change) => {
    const bench = await openEngineBench(database, facts);
    const runId = await bench.start();
    const held = holdAt("dispatch-call:after-call", { first: 1 });
    const { ended } = await bench.drive(runId);
    await held.reached();
    expect(await bench.recorder.calls("drop-after")).toHaveLength(1);
    await change(bench);
    held.release();
    await ended;
    const run = await bench.read(runId);
    expect(run).toMatchObject({
      status: "needs_human_review",
      calls: [
        {
          status: "outcome_unknown",
          error: {
            code: "outcome_unknown",
            message: expect.stringMatching(/^It was sent before.*drop-after was not called/),
          },
        },
      ],
    });
    expect(await eventTypes(database, runId)).not.toContain("call.failed");
    expect(await bench.pending(runId)).toEqual([]);
  });

  test(
    verifies(
      "promise:3",
      "by a dead worker, to a server that is gone since: its outcome stays unknown, and nothing is refunded",
    ),
    async () => {
      const bench = await openEngineBench(database, {
        ...facts,
        allowlist: "- name: drop-after\n  require_approval: {}",
      });
      const runId = await bench.launch();
      await bench.decide((await bench.pending(runId))[0]!, "approved");
      const at = bench.clock.now();
      const build = ({ snapshot }: OpenRun): OutsideChange<null> => {
        const [call] = snapshot.calls.values();
        const executing = executeCall(snapshot, call!, { epoch: 0, at: at.toISOString() });
        return { changes: [executing], queue: { kind: "wake" }, done: null };
      };
      await changeRun(database.db, runId, { build, at });
      await bench.recorder.close();
      await bench.advance(runId);
      const run = await bench.read(runId);
      expect(run).toMatchObject({ status: "needs_human_review", calls: [{ status: "outcome_unknown" }] });
      expect(Number(run.costUsd)).toBeGreaterThanOrEqual(0.5);
    },
  );
});

test("a retry also waits until a sub-agent's call is settled, but not for one of a step that completed and is kept", async () => {
  const boss =
    'name: boss\nmodel: standard\nprompt: { system: "Lead." }\nsubagents: [agents/worker.agent.yaml]\nservers: [{ name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [drop-after] } }]\n';
  const script = `${SCRIPT}  boss:\n    turns:\n      - call: [{ tool: agent__worker, arguments: {} }]\n    otherwise: { output: { done: true } }\n`;
  const workflow = "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/boss.agent.yaml }\n";
  const bench = await openEngineBench(database, {
    script,
    allowlist: "- drop-after",
    workflow,
    files: { "agents/boss.agent.yaml": boss },
  });
  const runId = await bench.launch();
  await cancelRun(bench.deps, TEST_ACTOR, { runId });
  const [call] = (await bench.read(runId)).calls.filter(({ tool }) => tool === "drop-after");
  await expect(retryRun(bench.deps, TEST_ACTOR, { runId })).rejects.toMatchObject({
    code: "conflict",
    issues: [{ path: call!.id }],
  });
  const keptId = await bench.launch();
  const at = bench.clock.now();
  const build = ({ snapshot }: OpenRun): OutsideChange<null> => {
    const { id: stepId, key } = [...snapshot.steps.values()].find(({ parentId }) => parentId === null)!;
    const move = { stepId, key, to: "complete", output: {} } as const;
    return { changes: [{ kind: "step_moved", at: at.toISOString(), move }], queue: { kind: "stay" }, done: null };
  };
  await changeRun(database.db, keptId, { build, at });
  await cancelRun(bench.deps, TEST_ACTOR, { runId: keptId });
  await expect(retryRun(bench.deps, TEST_ACTOR, { runId: keptId })).resolves.toMatchObject({
    runId: expect.any(String),
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { cancelRun } from "@/lib/runs/cancel-run";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, eventTypes, openEngineBench } from "@/lib/testing/engine-bench";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const SCRIPT = `agents:
  worker:
    turns:
      - call: [{ tool: t-none, arguments: { amount: 5000 } }]
    otherwise: { output: { ended: "{{ status.t-none }}" } }
`;
const ASK = "- name: t-none\n  require_approval: { on_reject: recover }";

/** A run whose one call was approved, and whose server went away before it could be sent. */
async function approvedAndAway(facts: Partial<BenchFacts> = {}) {
  const bench = await openEngineBench(database, { script: SCRIPT, allowlist: ASK, ...facts });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  await bench.decide(approval!, "approved");
  await bench.recorder.close();
  const comesBack = async () => {
    const recorder = await startRecordingServer({ port: bench.recorder.port });
    onTestFinished(() => recorder.close());
    return recorder;
  };
  const call = async () => (await bench.read(runId)).calls[0]!;
  return { ...bench, runId, comesBack, call };
}

const later = (bench: { clock: { now: () => Date } }, ms: number) => ({
  kind: "parked",
  wakeAt: new Date(bench.clock.now().getTime() + ms),
});

describe("a call that a person approved, and whose server is away", () => {
  test(
    verifies(
      "calls:server-away",
      "is sent once, when the server is back: the run is parked meanwhile and holds nothing",
    ),
    async () => {
      const bench = await approvedAndAway({ server: "tools: { t-none: { cost_usd: 0.5 } }\n" });
      expect(await bench.advance(bench.runId)).toEqual(later(bench, 3_000));
      const waiting = await bench.call();
      expect(waiting).toMatchObject({
        status: "approved",
        executingAt: null,
        error: { code: "server_away", tries: 1 },
      });
      expect((waiting.error as { message: string }).message).toMatch(
        /was not called: .*ECONNREFUSED.* The approval stands: try 2 of 3 follows at \d\d:\d\d:\d\d UTC\.$/,
      );
      expect(await bench.read(bench.runId)).toMatchObject({ status: "running", leaseOwner: null });
      expect(Number((await bench.read(bench.runId)).costUsd), "what was not sent costs nothing").toBeLessThan(0.5);
      bench.clock.advance(3_000);
      expect(await bench.advance(bench.runId)).toEqual(later(bench, 9_000));
      const recorder = await bench.comesBack();
      bench.clock.advance(9_000);
      expect(await bench.advance(bench.runId)).toEqual({ kind: "settled" });
      expect(await recorder.calls("t-none")).toHaveLength(1);
      expect(await bench.call()).toMatchObject({ status: "succeeded", error: null });
      expect((await eventTypes(database, bench.runId)).filter((type) => type === "call.not_sent")).toHaveLength(2);
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );

  test.each(["true", "false"])(
    "fails as not sent after the third time, when the server is required: %s",
    async (required) => {
      const facts = { server: `required: ${required}\n` };
      const bench = await approvedAndAway(facts);
      const another = await openEngineBench(database, { script: SCRIPT, allowlist: ASK, on: bench, ...facts });
      await another.advance(bench.runId);
      another.clock.advance(3_000);
      await another.advance(bench.runId);
      another.clock.advance(9_000);
      expect(await another.advance(bench.runId)).toEqual({ kind: "settled" });
      const run = await bench.read(bench.runId);
      expect(run.calls).toMatchObject([{ status: "failed", error: { code: "not_sent_unreachable" } }]);
      expect(run).toMatchObject(
        required === "true"
          ? { status: "failed", error: { code: "tool_failed" } }
          : { status: "complete", output: { work: { ended: "failed" } } },
      );
      expect(await eventTypes(database, bench.runId)).toContain("call.failed");
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );

  test("is waited for by a process that has never seen the server, although the agent cannot work without it", async () => {
    const bench = await approvedAndAway();
    const another = await openEngineBench(database, { script: SCRIPT, allowlist: ASK, on: bench });
    expect(await another.advance(bench.runId)).toEqual(later(another, 3_000));
    expect((await bench.call()).error).toMatchObject({
      code: "server_away",
      message: expect.stringContaining("cannot be used: ") as string,
    });
    const recorder = await bench.comesBack();
    another.clock.advance(3_000);
    expect(await another.advance(bench.runId)).toEqual({ kind: "settled" });
    expect(await recorder.calls("t-none")).toHaveLength(1);
  });

  test("and which the run could do without is waited for as well", async () => {
    const facts = { server: "required: false\n" };
    const bench = await approvedAndAway(facts);
    const another = await openEngineBench(database, { script: SCRIPT, allowlist: ASK, on: bench, ...facts });
    expect(await another.advance(bench.runId)).toEqual(later(another, 3_000));
    const recorder = await bench.comesBack();
    another.clock.advance(3_000);
    expect(await another.advance(bench.runId)).toEqual({ kind: "settled" });
    expect(await recorder.calls("t-none")).toHaveLength(1);
  });

  test("is never sent when its run is cancelled during the wait", async () => {
    const bench = await approvedAndAway();
    await bench.advance(bench.runId);
    await cancelRun(bench.deps, TEST_ACTOR, { runId: bench.runId });
    const recorder = await bench.comesBack();
    bench.clock.advance(60_000);
    await expect(bench.advance(bench.runId)).rejects.toThrow(/nothing to do|no run/);
    expect(await bench.call()).toMatchObject({ status: "cancelled", error: null });
    expect(await recorder.calls()).toHaveLength(0);
  });

  test("loses no try when something else wakes its run", async () => {
    const bench = await approvedAndAway();
    await bench.advance(bench.runId);
    const until = later(bench, 3_000);
    bench.clock.advance(1_000);
    await database.db.$executeRaw`UPDATE runs SET wake_at = ${bench.clock.now()} WHERE id = ${bench.runId}`;
    expect(await bench.advance(bench.runId)).toEqual(until);
    expect((await bench.call()).error).toMatchObject({ tries: 1 });
  });
});

test("a call that nobody was asked about fails at once, and the agent gets the error", async () => {
  const bench = await openEngineBench(database, { script: SCRIPT, allowlist: "- t-none" });
  await pauseDispatch(bench.deps, TEST_ACTOR, true);
  const runId = await bench.launch();
  await pauseDispatch(bench.deps, TEST_ACTOR, false);
  await bench.recorder.close();
  bench.clock.advance(2_000);
  await bench.advance(runId);
  expect((await bench.read(runId)).calls[0]).toMatchObject({
    status: "failed",
    error: { code: "not_sent_unreachable" },
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { cancelRun } from "@/lib/runs/cancel-run";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, eventTypes, openEngineBench } from "@/lib/testing/engine-bench";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const SCRIPT = `agents:
  first: { otherwise: { output: { region: eu, regions: [eu] } } }
  boss: { turns: [{ call: [{ tool: agent__helper, arguments: { region: eu } }] }], otherwise: { output: { told: "{{ status.agent__helper }}" } } }
  helper: { otherwise: { output: { done: true } } }
  worker: { turns: [{ call: [{ tool: echo, arguments: { n: 1 } }] }], otherwise: { output: { ended: "{{ status.echo }}" } } }
`;

const agent = (name: string) => `name: ${name}
model: standard
prompt: { system: "Work.", user: "Go." }
params: { schema: { type: object, required: [region], properties: { region: { type: string } } } }
servers: [{ name: recorder, path: servers/recorder.server.yaml, params: { region: "{{ params.region }}" }, access: { allowlist: [echo] } }]
`;

/** What the server needs comes from a step or a model, so that nobody can check it before the run begins. */
const FILES = {
  "agents/first.agent.yaml": 'name: first\nmodel: standard\nprompt: { system: "Begin." }\n',
  "agents/boss.agent.yaml":
    'name: boss\nmodel: standard\nprompt: { system: "Lead." }\nsubagents: [agents/helper.agent.yaml]\n',
  "agents/worker.agent.yaml": agent("worker"),
  "agents/helper.agent.yaml": agent("helper"),
};
const PLACES = {
  "of a step": '  - { id: second, agent: ./agents/worker.agent.yaml, params: { region: "{{ step.first.region }}" } }\n',
  "of an item of a fan-out":
    '  - { id: second, agent: ./agents/worker.agent.yaml, for_each: { from: step.first.regions }, params: { region: "{{ item }}" } }\n',
  "that another one has called": "  - { id: second, agent: ./agents/boss.agent.yaml, depends_on: [first] }\n",
};
type Place = keyof typeof PLACES;

const factsOf = (place: Place): BenchFacts => ({
  script: SCRIPT,
  server: "params: { region: { description: where } }\n",
  files: FILES,
  workflow: `kind: workflow\nname: main\npipeline:\n  - { id: first, agent: ./agents/first.agent.yaml }\n${PLACES[place]}`,
});

/** A run whose second step's agent finds its server away. */
async function startedAndAway(place: Place = "of a step") {
  const bench = await openEngineBench(database, factsOf(place));
  await bench.recorder.close();
  const runId = await bench.start();
  const comesBack = async () => {
    const recorder = await startRecordingServer({ port: bench.recorder.port });
    onTestFinished(() => recorder.close());
    return recorder;
  };
  const later = (ms: number) => ({ kind: "parked", wakeAt: new Date(bench.clock.now().getTime() + ms) });
  /** The step whose agent waits. */
  const step = async () =>
    (await bench.read(runId)).steps.filter(({ agent: name }) => name === "worker" || name === "helper").at(-1)!;
  return { ...bench, runId, comesBack, later, step };
}

describe("a required server that is away when an agent lists its tools", () => {
  test.each(Object.keys(PLACES) as Place[])(
    verifies(
      "servers:waited-for",
      "the agent %s continues when it is back, in whatever process; the run holds nothing meanwhile",
    ),
    async (place) => {
      const bench = await startedAndAway(place);
      expect(await bench.advance(bench.runId)).toEqual(bench.later(3_000));
      expect(await bench.read(bench.runId)).toMatchObject({ status: "running", leaseOwner: null, error: null });
      const { error } = await bench.step();
      expect(error).toMatchObject({
        code: "server_away",
        tries: 1,
        message: expect.stringMatching(
          /ECONNREFUSED.* Agent (worker|helper) cannot work without it\. Try 2 of 3 follows at \d\d:\d\d:\d\d UTC\.$/,
        ),
      });

      const another = await openEngineBench(database, { ...factsOf(place), on: bench });
      another.clock.advance(3_000);
      expect(await another.advance(bench.runId)).toEqual({
        kind: "parked",
        wakeAt: new Date(another.clock.now().getTime() + 9_000),
      });
      const recorder = await bench.comesBack();
      another.clock.advance(9_000);
      expect(await another.advance(bench.runId)).toEqual({ kind: "settled" });
      expect((await recorder.received()).map(({ method }) => method)).toContain("tools/list");
      // A caller without tools can grant none, so its helper only lists them.
      expect(await recorder.calls("echo")).toHaveLength(place === "that another one has called" ? 0 : 1);
      expect(await bench.read(bench.runId)).toMatchObject({ status: "complete", error: null });
      expect((await bench.step()).error).toBeNull();
      expect((await eventTypes(database, bench.runId)).filter((type) => type === "step.delayed")).toHaveLength(2);
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );

  test("fails the step with the reason after the third time", async () => {
    const bench = await startedAndAway();
    await bench.advance(bench.runId);
    bench.clock.advance(3_000);
    await bench.advance(bench.runId);
    bench.clock.advance(9_000);
    expect(await bench.advance(bench.runId)).toEqual({ kind: "settled" });
    const message = expect.stringMatching(/ECONNREFUSED.* Agent worker cannot work without it\.$/);
    expect(await bench.read(bench.runId)).toMatchObject({
      status: "failed",
      error: { code: "tool_failed", message, step: "second" },
    });
    expect((await bench.step()).error).toEqual({ code: "tool_failed", message });
  });

  test(
    verifies("servers:waited-for", "a cancel ends the wait, and nothing is sent when the server is back"),
    async () => {
      const bench = await startedAndAway();
      await bench.advance(bench.runId);
      await cancelRun(bench.deps, TEST_ACTOR, { runId: bench.runId });
      const recorder = await bench.comesBack();
      bench.clock.advance(60_000);
      await expect(bench.advance(bench.runId)).rejects.toThrow(/nothing to do|no run/);
      expect(await bench.step()).toMatchObject({ status: "cancelled", error: null });
      expect(await recorder.received()).toHaveLength(0);
    },
  );

  test("loses no try when something else wakes the run, and is found at once if it is back by then", async () => {
    const bench = await startedAndAway();
    await bench.advance(bench.runId);
    const until = bench.later(3_000);
    const wake = () =>
      database.db.$executeRaw`UPDATE runs SET wake_at = ${bench.clock.now()} WHERE id = ${bench.runId}`;
    bench.clock.advance(1_000);
    await wake();
    expect(await bench.advance(bench.runId)).toEqual(until);
    expect((await bench.step()).error).toMatchObject({ tries: 1 });
    await bench.comesBack();
    await wake();
    expect(await bench.advance(bench.runId)).toEqual({ kind: "settled" });
  });

  test("is waited for again when it goes away a second time", async () => {
    const bench = await startedAndAway();
    await bench.advance(bench.runId);
    bench.clock.advance(3_000);
    await bench.advance(bench.runId);
    const recorder = await bench.comesBack();
    await recorder.hold("echo");
    bench.clock.advance(9_000);
    const { ended } = await bench.drive(bench.runId);
    await recorder.waitForCalls("echo");
    expect((await bench.step()).error, "a turn is on record, so the wait is over").toBeNull();
    await recorder.close();
    await ended;
    expect((await bench.read(bench.runId)).calls.map(({ status }) => status)).toEqual(["outcome_unknown"]);
  });
});

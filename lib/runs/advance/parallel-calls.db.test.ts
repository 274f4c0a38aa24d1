import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();

const NAMES = ["a", "b", "c", "d"] as const;
const FOUR = `agents:
  worker:
    turns:
      - call: [${NAMES.map((name) => `{ tool: t-none, arguments: { name: ${name} } }`).join(", ")}]
    otherwise: { output: { seen: [${NAMES.map((_name, index) => `"{{ last.${index}.status }}"`).join(", ")}] } }
`;
const ASK = "- echo\n- slow\n- name: t-none\n  require_approval: { on_reject: recover }";

describe("four calls of one turn", () => {
  const seed = Number(process.env.KIMITSU_TEST_SEED ?? Date.now() % 1_000_000);

  test(
    verifies(
      "engine:parallel",
      `all 16 mixes, decided in any order with the run advanced in between, give each call one result (seed ${seed})`,
    ),
    async () => {
      const bench = await openEngineBench(database, { script: FOUR, allowlist: ASK });
      const by = await bench.person();
      const orders = fc.sample(
        fc.tuple(
          fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
          fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        ),
        { seed, numRuns: 16 },
      );
      for (let mix = 0; mix < 16; mix += 1) {
        const [order, advances] = orders[mix]!;
        await bench.recorder.reset();
        const runId = await bench.launch();
        const pending = await bench.pending(runId);
        for (const [place, index] of order.entries()) {
          await bench.decide(pending[index]!, mix & (1 << index) ? "approved" : "rejected", { by });
          if (place < 3 && advances[place]) await bench.advance(runId);
        }
        expect(await bench.advance(runId)).toEqual({ kind: "settled" });
        const run = await bench.read(runId);
        const approved = NAMES.filter((_name, index) => mix & (1 << index));
        expect(
          (await bench.recorder.calls("t-none")).map((call) => (call.arguments as { name: string }).name).toSorted(),
        ).toEqual(approved);
        expect(run.output).toEqual({
          work: { seen: NAMES.map((name) => (approved.includes(name) ? "succeeded" : "rejected")) },
        });
        expect(run.turns).toHaveLength(2);
      }
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );
});

describe("while something else is in progress", () => {
  test("a call is sent the moment it is approved, although another of its turn still runs", async () => {
    const script = `agents:\n  worker:\n    turns:\n      - call: [{ tool: slow, arguments: {} }, { tool: t-none, arguments: { name: a } }]\n    otherwise: { output: { done: true } }\n`;
    const bench = await openEngineBench(database, { script, allowlist: ASK });
    const runId = await bench.start();
    const { wake, ended } = await bench.drive(runId);
    await bench.recorder.waitForCalls("slow");
    await bench.decide((await bench.pending(runId))[0]!, "approved");
    await wake();
    await bench.recorder.waitForCalls("t-none");
    await bench.recorder.release("slow");
    expect(await ended).toEqual({ kind: "settled" });
  });

  const TWO_STEPS =
    "kind: workflow\nname: main\npipeline:\n  - { id: asks, agent: ./agents/worker.agent.yaml, params: { job: ask } }\n  - { id: takes-long, agent: ./agents/worker.agent.yaml, params: { job: wait } }\n";
  const BY_JOB = (first: string, second: string) =>
    `agents:\n  worker:\n    rules:\n      - { when: "turn == \`1\` && params.job == 'ask'", call: [${first}] }\n      - { when: "turn == \`1\` && params.job == 'wait'", call: [${second}] }\n    otherwise: { output: { done: true } }\n`;
  const JOB = "params: { schema: { type: object, properties: { job: { type: string } } } }\n";
  const WORKER = (more: string) => ({
    "agents/worker.agent.yaml": `name: worker\nmodel: standard\nprompt: { system: "Work." }\n${JOB}servers:\n  - name: recorder\n    path: servers/recorder.server.yaml\n    access: { allowlist: [echo, slow, { name: t-none, require_approval: { on_reject: recover } }] }\n${more}`,
  });

  test("a step continues the moment its call is decided, although another step still runs, and one asked later waits by itself", async () => {
    const script = BY_JOB("{ tool: t-none, arguments: { name: a } }", "{ tool: slow, arguments: {} }").replace(
      "    otherwise",
      "      - { when: \"turn == `2` && params.job == 'wait'\", call: [{ tool: t-none, arguments: { name: b } }] }\n    otherwise",
    );
    const bench = await openEngineBench(database, { script, workflow: TWO_STEPS, files: WORKER("") });
    const runId = await bench.start();
    const { wake, ended } = await bench.drive(runId);
    await bench.recorder.waitForCalls("slow");
    const [asked] = await until(() => bench.pending(runId), { what: "asked", isDone: (pending) => pending.length > 0 });
    await bench.decide(asked!, "approved");
    await wake();
    await bench.recorder.waitForCalls("t-none");
    await bench.recorder.release("slow");
    expect(await ended).toEqual({ kind: "parked", wakeAt: null });
    await bench.decide((await bench.pending(runId))[0]!, "rejected");
    await bench.advance(runId);
    const run = await bench.read(runId);
    expect(run.status).toBe("complete");
    expect(run.calls.map((call) => call.status).toSorted()).toEqual(["rejected", "succeeded", "succeeded"]);
  });

  test("a sub-agent's call that is decided while its caller's other call runs continues, and the caller gets its result once", async () => {
    const script = `agents:\n  boss:\n    turns:\n      - call: [{ tool: agent__worker, arguments: {} }, { tool: slow, arguments: {} }]\n    otherwise: { output: { told: "{{ results.agent__worker }}" } }\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { name: a } }]\n    otherwise: { output: { ended: "{{ status.t-none }}" } }\n`;
    const boss = `name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [echo, slow, t-none] } }\nsubagents: [agents/worker.agent.yaml]\n`;
    const bench = await openEngineBench(database, {
      script,
      files: {
        ...WORKER(""),
        "agents/boss.agent.yaml": boss,
        "workflows/main.workflow.yaml":
          "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/boss.agent.yaml }\n",
      },
    });
    const runId = await bench.start();
    const { wake, ended } = await bench.drive(runId);
    await bench.recorder.waitForCalls("slow");
    let pending = await bench.pending(runId);
    while (pending.length === 0) pending = await bench.pending(runId);
    await bench.decide(pending[0]!, "approved");
    await wake();
    await bench.recorder.waitForCalls("t-none");
    await bench.recorder.release("slow");
    expect(await ended).toEqual({ kind: "settled" });
    const run = await bench.read(runId);
    expect(run.output).toEqual({ work: { told: { ended: "succeeded" } } });
    const [outer] = run.calls.filter((call) => call.server === "kimitsu/agents");
    expect(run.calls.find((call) => call.tool === "t-none")!.parentCallId).toBe(outer!.id);
  });
});

import { afterEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { cancelRun } from "@/lib/runs/cancel-run";
import { settleCall } from "@/lib/runs/settle-call";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { changeRun } from "@/lib/runs/journal/change-run";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, eventTypes, listUnrecordedEnds, openEngineBench } from "@/lib/testing/engine-bench";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();
afterEach(releaseAll);

/** One output token costs a dollar, so that prices are easy to read; the answer is as long as announced. */
const GATEWAY = {
  "gateway.yaml":
    "providers: [{ name: test, type: scripted, config: { script: models/test.script.yaml } }]\nmodel_groups: [{ name: standard, models: [test/m], pricing: [{ model: m, input_per_million: 0, output_per_million: 1000000 }] }]\n",
};
const LIST = "params: { schema: { type: object, properties: { list: { type: array } } } }\n";
const fan = (step: string, policy: string) =>
  `kind: workflow\nname: main\n${LIST}pipeline:\n  - { id: each, agent: ./agents/worker.agent.yaml, model: { max_tokens: 1 }, for_each: { from: "{{ params.list }}", max_failures: -1${step} } }\nmodel_policy: { ${policy} }\n`;
const hundred = { list: Array.from({ length: 100 }, (_value, index) => index) };
const answer = (tokens: number) =>
  `agents:\n  worker:\n    otherwise: { output: { done: true }, usage: { tokens_in: 0, tokens_out: ${tokens} } }\n`;

describe("budgets", () => {
  test(
    verifies("engine:budget", "of 100 concurrent turns with money for 10 exactly 10 are requested, and the run fails"),
    async () => {
      const bench = await openEngineBench(database, {
        script: answer(1),
        files: GATEWAY,
        workflow: fan("", "cost_budget_usd: 10"),
      });
      const runId = await bench.launch(hundred);
      const run = await bench.read(runId);
      expect(run.turns).toHaveLength(10);
      expect(Number(run.costUsd)).toBe(10);
      expect(run.error).toMatchObject({ code: "budget_exceeded" });
      expect((await eventTypes(database, runId)).filter((type) => type === "run.budget_warning")).toHaveLength(1);
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );

  test("an estimate that is higher than the cost makes others wait, not fail", async () => {
    const workflow = fan("", "cost_budget_usd: 10").replace("max_tokens: 1", "max_tokens: 9");
    const bench = await openEngineBench(database, { script: answer(0), files: GATEWAY, workflow });
    const run = await bench.read(await bench.launch({ list: [1, 2, 3, 4, 5] }));
    expect(run.status).toBe("complete");
    expect(run.turns).toHaveLength(5);
  });

  describe("of an agent that takes one turn after the other", () => {
    /** A thousandth of a dollar per output token; input costs nothing. */
    const GATEWAY_SMALL = { "gateway.yaml": GATEWAY["gateway.yaml"].replace("1000000 }", "1000 }") };
    const one = (model: string, budget: number) =>
      `kind: workflow\nname: main\npipeline: [{ id: work, agent: ./agents/worker.agent.yaml${model} }]\nmodel_policy: { cost_budget_usd: ${budget} }\n`;
    const turns = (usage: number) =>
      `agents:\n  worker:\n    turns:\n${`      - { call: [{ tool: echo, arguments: {} }], usage: { tokens_in: 0, tokens_out: ${usage} } }\n`.repeat(3)}    otherwise: { output: { done: true }, usage: { tokens_in: 0, tokens_out: ${usage} } }\n`;
    const limits = (run: { turns: { request: unknown }[] }) =>
      run.turns.map(({ request }) => (request as { max_tokens?: number }).max_tokens);

    test(
      verifies(
        "engine:budget",
        "the remaining money buys a shorter answer instead of refusing the turn, and the budget is not exceeded",
      ),
      async () => {
        const bench = await openEngineBench(database, {
          script: turns(1_000),
          allowlist: "- echo",
          files: GATEWAY_SMALL,
          workflow: one("", 9),
        });
        const run = await bench.read(await bench.launch());
        expect(run).toMatchObject({ status: "complete", output: { work: { done: true } } });
        expect(Number(run.costUsd)).toBe(4);
        expect(limits(run), "8,192 fit once; then what is left does").toEqual([undefined, 8_000, 7_000, 6_000]);
      },
    );

    test("too little for an answer is refused with the three figures and what to change", async () => {
      const bench = await openEngineBench(database, {
        script: turns(1_000),
        allowlist: "- echo",
        files: GATEWAY_SMALL,
        workflow: one("", 2.5),
      });
      const run = await bench.read(await bench.launch());
      expect(limits(run)).toEqual([2_500, 1_500]);
      expect(run).toMatchObject({
        status: "failed",
        error: {
          code: "budget_exceeded",
          message:
            "Budget exceeded: $2.00 spent, $0.50 remaining, the next turn needs $1.024 for what it reads and an answer of up to 1024 tokens. Raise `model_policy.cost_budget_usd`, or set `model.max_tokens` of the step below 1024.",
        },
      });
    });

    test("a step that requests short answers keeps its own limit", async () => {
      const bench = await openEngineBench(database, {
        script: turns(300),
        allowlist: "- echo",
        files: GATEWAY_SMALL,
        workflow: one(", model: { max_tokens: 400 }", 1),
      });
      const run = await bench.read(await bench.launch());
      expect(limits(run)).toEqual([400, 400, 400]);
      expect(run.error).toMatchObject({
        message:
          "Budget exceeded: $0.90 spent, $0.10 remaining, the next turn needs $0.40 for what it reads and an answer of up to 400 tokens. Raise `model_policy.cost_budget_usd`, or set `model.max_tokens` of the step below 400.",
      });
    });
  });

  test(
    verifies("engine:budget", "of 100 concurrent tool calls with money for 10 exactly 10 reach the server"),
    async () => {
      const calls = hundred.list.map((n) => `{ tool: t-ro1-de0-id1-ow0, arguments: { n: ${n} } }`).join(", ");
      const script = `agents:\n  worker:\n    turns:\n      - { call: [${calls}], usage: { tokens_in: 0, tokens_out: 0 } }\n    otherwise: { output: { done: true }, usage: { tokens_in: 0, tokens_out: 0 } }\n`;
      const free = {
        "gateway.yaml": GATEWAY["gateway.yaml"].replace("output_per_million: 1000000", "output_per_million: 0"),
      };
      const workflow =
        "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\nmodel_policy: { cost_budget_usd: 1 }\n";
      const bench = await openEngineBench(database, {
        script,
        files: free,
        workflow,
        server: "tools: { t-ro1-de0-id1-ow0: { cost_usd: 0.1 } }\n",
        allowlist: "- t-ro1-de0-id1-ow0",
      });
      const runId = await bench.launch();
      const run = await bench.read(runId);
      expect(await bench.recorder.calls()).toHaveLength(10);
      expect(run.calls.filter((call) => call.status === "succeeded")).toHaveLength(10);
      expect(run.calls.filter((call) => call.status === "denied")).toHaveLength(90);
      expect(Number(run.costUsd)).toBe(1);
      expect((await eventTypes(database, runId)).filter((type) => type === "run.budget_warning")).toHaveLength(1);
      expect(run.error).toMatchObject({ code: "budget_exceeded" });
    },
  );

  const costly = (count: number) => {
    const calls = Array.from(
      { length: count },
      (_value, n) => `{ tool: t-ro1-de0-id1-ow0, arguments: { n: ${n} } }`,
    ).join(", ");
    return {
      script: `agents:\n  worker:\n    turns: [{ call: [${calls}] }]\n    otherwise: { output: { done: true } }\n`,
      server: "tools: { t-ro1-de0-id1-ow0: { cost_usd: 0.1 } }\n",
      allowlist: "- t-ro1-de0-id1-ow0",
    };
  };
  test.each([
    ["the agent's permissions", { agent: "permissions: { budget_usd: 1 }\n" }],
    ["policy.yaml", { files: { "policy.yaml": "permissions: { budget_usd: 1 }\n" } }],
    [
      "an agent below policy.yaml's",
      { agent: "permissions: { budget_usd: 1 }\n", files: { "policy.yaml": "permissions: { budget_usd: 5 }\n" } },
    ],
  ])(
    verifies(
      "engine:budget",
      "with budget_usd for 10 in %s exactly 10 of 100 concurrent calls reach the server, the others are denied with the figures",
    ),
    async (_where, facts) => {
      const bench = await openEngineBench(database, { ...costly(100), ...facts });
      const run = await bench.read(await bench.launch());
      expect(await bench.recorder.calls()).toHaveLength(10);
      expect(run.status).toBe("complete");
      expect(Number(run.costUsd)).toBeGreaterThan(1);
      const denied = run.calls.filter((call) => call.status === "denied");
      expect(denied).toHaveLength(90);
      for (const { error } of denied)
        expect(error).toEqual({
          code: "budget_exceeded",
          message: "Budget exceeded: $1.00 spent, $0.00 remaining, tool needs $0.10",
        });
    },
  );

  test("what a dead worker had reserved is free for the next one", async () => {
    const bench = await openEngineBench(database, {
      script: answer(1),
      files: GATEWAY,
      workflow: fan("", "cost_budget_usd: 1"),
    });
    const held = holdAt("model-turn:after-call", { first: 1 });
    const runId = await bench.start({ list: [1] });
    const { ended } = await bench.drive(runId);
    await held.reached();
    bench.clock.advance(60_000);
    expect(await bench.advance(runId)).toEqual({ kind: "settled" });
    held.release();
    expect(await ended).toEqual({ kind: "lost" });
    const run = await bench.read(runId);
    expect(run.status).toBe("complete");
    expect(run.turns).toHaveLength(1);
  });
});

describe("rate limits", () => {
  test("calls over the limit wait for the next window, and are then sent", async () => {
    const calls = [1, 2, 3].map((n) => `{ tool: echo, arguments: { n: ${n} } }`).join(", ");
    const script = `agents:\n  worker:\n    turns:\n      - call: [${calls}]\n    otherwise: { output: { done: true } }\n`;
    const bench = await openEngineBench(database, { script, allowlist: "- echo", server: "rate_limit: 2/minute\n" });
    const runId = await bench.start();
    const outcome = await bench.advance(runId);
    expect(outcome).toEqual({ kind: "parked", wakeAt: new Date(bench.deps.now().getTime() + 60_000) });
    expect(await bench.recorder.calls("echo")).toHaveLength(2);
    await expect(bench.advance(runId)).rejects.toThrow(/nothing to do/);
    bench.clock.advance(60_000);
    expect(await bench.advance(runId)).toEqual({ kind: "settled" });
    expect(await bench.recorder.calls("echo")).toHaveLength(3);
  });

  test("one limit holds for all workers on the database together, each with its own runs", async () => {
    const calls = [1, 2, 3].map((n) => `{ tool: echo, arguments: { n: ${n} } }`).join(", ");
    const facts = {
      script: `agents:\n  worker:\n    turns:\n      - call: [${calls}]\n    otherwise: { output: { done: true } }\n`,
      allowlist: "- echo",
      server: "rate_limit: 4/minute\n",
    };
    const one = await openEngineBench(database, facts);
    const two = await openEngineBench(database, { ...facts, on: one });
    const runs = [
      { bench: one, id: await one.start() },
      { bench: two, id: await two.start() },
    ];
    const wakeAt = new Date(one.clock.now().getTime() + 60_000);
    const outcomes = await Promise.all(runs.map(({ bench, id }) => bench.advance(id)));
    expect(await one.recorder.calls("echo")).toHaveLength(4);
    expect(outcomes).toContainEqual({ kind: "parked", wakeAt });
    for (const { bench } of runs) bench.clock.advance(60_000);
    await Promise.all(
      runs.filter((_run, place) => outcomes[place]!.kind === "parked").map(({ bench, id }) => bench.advance(id)),
    );
    expect(await one.recorder.calls("echo")).toHaveLength(6);
    for (const { id } of runs) expect((await one.read(id)).status).toBe("complete");
  });

  test("a call that is resent automatically counts, and is left to a person when the limit is reached", async () => {
    const script =
      "agents:\n  worker:\n    turns: [{ call: [{ tool: drop-after, arguments: {} }] }]\n    otherwise: { output: { done: true } }\n";
    const bench = await openEngineBench(database, {
      script,
      allowlist: "- drop-after",
      server: "rate_limit: 2/minute\ntools: { drop-after: { annotations: { idempotentHint: true } } }\n",
    });
    const run = await bench.read(await bench.launch());
    expect(await bench.recorder.calls("drop-after")).toHaveLength(2);
    expect(run.calls[0]).toMatchObject({ status: "outcome_unknown", attempt: 2 });
  });
});

describe("time", () => {
  test("a run that has used its time ends, and a turn of the model is not waited for", async () => {
    const script = "agents:\n  worker:\n    turns: [{ output: { late: true }, delay_ms: 600000 }]\n";
    const bench = await openEngineBench(database, {
      script,
      workflow:
        "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\nmodel_policy: { timeout_s: 0.2 }\n",
    });
    const run = await bench.read(await bench.launch());
    expect(run.error).toMatchObject({ code: "run_timeout" });
    expect(run.steps[0]!.status).toBe("cancelled");
  });

  test("the time that people take does not count", async () => {
    const script =
      "agents:\n  worker:\n    turns: [{ call: [{ tool: t-none, arguments: {} }] }]\n    otherwise: { output: { done: true } }\n";
    const bench = await openEngineBench(database, {
      script,
      workflow:
        "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\nmodel_policy: { timeout_s: 60 }\n",
    });
    const runId = await bench.launch();
    bench.clock.advance(3_600_000);
    await bench.decide((await bench.pending(runId))[0]!, "approved");
    expect(await bench.advance(runId)).toEqual({ kind: "settled" });
    expect((await bench.read(runId)).status).toBe("complete");
  });
});

describe("cancelling", () => {
  const CALLS: BenchFacts = {
    script:
      "agents:\n  worker:\n    turns: [{ call: [{ tool: slow, arguments: {} }, { tool: t-none, arguments: {} }] }]\n    otherwise: { output: { done: true } }\n",
    allowlist: "- slow\n- name: t-none\n  require_approval: {}",
  };
  const cancelled = async (bench: Awaited<ReturnType<typeof openEngineBench>>, runId: string) => {
    await cancelRun(bench.deps, TEST_ACTOR, { runId, reason: "enough" });
    const run = await bench.read(runId);
    expect(run.status).toBe("cancelled");
    expect(run.steps.every((step) => step.status === "cancelled")).toBe(true);
    expect(await bench.pending(runId)).toHaveLength(0);
    expect(await listUnrecordedEnds(database, runId)).toEqual([]);
    expect((await eventTypes(database, runId)).at(-1)).toBe("run.cancelled");
    await expect(cancelRun(bench.deps, TEST_ACTOR, { runId })).rejects.toThrow(/is cancelled already/);
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    return run;
  };

  test("before it began: nothing more happens", async () => {
    const bench = await openEngineBench(database, CALLS);
    const runId = await bench.start();
    await cancelled(bench, runId);
    await expect(bench.advance(runId)).rejects.toThrow(/nothing to do/);
    expect(await bench.recorder.calls()).toHaveLength(0);
  });

  test("during a turn of the model: the turn is not recorded and its calls are never made", async () => {
    const bench = await openEngineBench(database, CALLS);
    const held = holdAt("model-turn:after-call");
    const runId = await bench.start();
    const { ended } = await bench.drive(runId);
    await held.reached();
    const run = await cancelled(bench, runId);
    held.release();
    expect(await ended).toEqual({ kind: "lost" });
    expect(run.turns).toHaveLength(0);
    expect(await bench.recorder.calls()).toHaveLength(0);
  });

  test(
    verifies(
      "promise:2",
      "while a call is in progress and another waits: the first becomes unknown, the other is withdrawn and cannot be approved",
    ),
    async () => {
      const bench = await openEngineBench(database, CALLS);
      const runId = await bench.start();
      const { ended } = await bench.drive(runId);
      await bench.recorder.waitForCalls("slow");
      const [approval] = await bench.pending(runId);
      const run = await cancelled(bench, runId);
      expect(run.calls.map((call) => [call.tool, call.status])).toEqual([
        ["slow", "outcome_unknown"],
        ["t-none", "cancelled"],
      ]);
      await expect(bench.decide(approval!, "approved")).rejects.toThrow(/was withdrawn/);
      await bench.recorder.release("slow");
      expect(await ended).toEqual({ kind: "lost" });
      await expect(
        settleCall(bench.deps, TEST_ACTOR, { callId: run.calls[0]!.id, outcome: "did_not_happen" }),
      ).rejects.toThrow(/cannot be sent any more/);
      await settleCall(bench.deps, TEST_ACTOR, { callId: run.calls[0]!.id, outcome: "happened" });
      expect(await bench.recorder.calls("t-none")).toHaveLength(0);
    },
  );

  test(verifies("promise:2", "after the approval and before the call: it is never sent"), async () => {
    const bench = await openEngineBench(database, {
      ...CALLS,
      script: CALLS.script.replace("{ tool: slow, arguments: {} }, ", ""),
    });
    const runId = await bench.launch();
    await bench.decide((await bench.pending(runId))[0]!, "approved");
    const held = holdAt("dispatch-call:before-executing-commit");
    const { ended } = await bench.drive(runId);
    await held.reached();
    const run = await cancelled(bench, runId);
    held.release();
    expect(await ended).toEqual({ kind: "lost" });
    expect(run.calls[0]!.status).toBe("cancelled");
    expect(await bench.recorder.calls()).toHaveLength(0);
  });

  test("a sub-agent that was in progress is known to have ended", async () => {
    const script =
      "agents:\n  boss: { turns: [{ call: [{ tool: agent__worker, arguments: {} }] }] }\n  worker: { turns: [{ call: [{ tool: t-none, arguments: {} }] }] }\n";
    const files = {
      "agents/boss.agent.yaml":
        'name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers: [{ name: recorder, path: servers/recorder.server.yaml }]\nsubagents: [agents/worker.agent.yaml]\n',
      "workflows/main.workflow.yaml":
        "kind: workflow\nname: main\npipeline: [{ id: work, agent: ./agents/boss.agent.yaml }]\n",
    };
    const bench = await openEngineBench(database, { script, files });
    const run = await cancelled(bench, await bench.launch());
    expect(run.calls.map((call) => call.status)).toEqual(["failed", "cancelled"]);
    expect(await eventTypes(database, run.id)).toContain("call.failed");
  });

  test(verifies("promise:8", "each call, approval and step that is ended with the run has its event"), async () => {
    const script = CALLS.script.replace(
      "{ tool: t-none, arguments: {} }",
      "{ tool: t-none, arguments: { n: 1 } }, { tool: t-none, arguments: { n: 2 } }",
    );
    const bench = await openEngineBench(database, { ...CALLS, script });
    const runId = await bench.start();
    const { ended } = await bench.drive(runId);
    await bench.recorder.waitForCalls("slow");
    await cancelled(bench, runId);
    expect((await eventTypes(database, runId)).slice(-7)).toEqual([
      "approval.cancelled",
      "approval.cancelled",
      "call.outcome_unknown",
      "call.cancelled",
      "call.cancelled",
      "step.cancelled",
      "run.cancelled",
    ]);
    await bench.recorder.release("slow");
    await ended;
  });

  test("what is added to the run between the cancel's read and its commit is ended too", async () => {
    const bench = await openEngineBench(database, CALLS);
    const runId = await bench.start();
    const held = holdAt("cancel-run:before-commit", { first: 1 });
    const run = cancelled(bench, runId);
    await held.reached();
    const at = bench.clock.now();
    const steps = [{ id: "step_late", key: "late", type: "agent" as const, agent: null }];
    const added = { kind: "steps_added", at: at.toISOString(), steps } as const;
    const build = () => ({ changes: [added], queue: { kind: "stay" } as const, done: null });
    await changeRun(database.db, runId, { at, build });
    held.release();
    expect((await run).steps.map(({ key }) => key)).toContain("late");
  });
});

test(
  verifies("promise:8", "what a failing step leaves open in its run is withdrawn, each with its event"),
  async () => {
    const script =
      "agents:\n  worker: { turns: [{ call: [{ tool: t-none, arguments: {} }] }] }\n  other: { turns: [{ call: [{ tool: slow, arguments: {} }] }, { output: { ktsu_low_quality: true } }] }\n";
    const files = {
      "agents/other.agent.yaml":
        'name: other\nmodel: standard\nprompt: { system: "Other." }\nservers: [{ name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [slow] } }]\n',
      "workflows/main.workflow.yaml":
        "kind: workflow\nname: main\npipeline:\n  - { id: asks, agent: ./agents/worker.agent.yaml }\n  - { id: fails, agent: ./agents/other.agent.yaml }\n  - { id: after, depends_on: [asks], transform: { inputs: [{ from: asks }], ops: [] } }\n",
    };
    const bench = await openEngineBench(database, {
      script,
      files,
      allowlist: "- name: t-none\n  require_approval: {}",
    });
    const runId = await bench.start();
    const { ended } = await bench.drive(runId);
    await bench.recorder.waitForCalls("slow");
    await until(() => bench.pending(runId), { what: "the question", isDone: (rows) => rows.length > 0 });
    await bench.recorder.release("slow");
    expect(await ended).toEqual({ kind: "settled" });
    const run = await bench.read(runId);
    expect(run.steps.map(({ key, status }) => [key, status])).toEqual([
      ["asks", "cancelled"],
      ["fails", "failed"],
      ["after", "cancelled"],
    ]);
    expect(await listUnrecordedEnds(database, runId)).toEqual([]);
    expect((await eventTypes(database, runId)).slice(-5)).toEqual([
      "approval.cancelled",
      "call.cancelled",
      "step.cancelled",
      "step.cancelled",
      "run.failed",
    ]);
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
  },
);

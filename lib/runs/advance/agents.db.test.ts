import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { digestOutput } from "@/lib/text/digest";
import { SERVER_AWAY_WAITS_MS } from "@/lib/limits";
import { reviewStep } from "@/lib/runs/review-step";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { findDecidable } from "@/lib/approvals/find-decidable";
import { findReach } from "@/lib/approvals/find-reach";
import { findCard } from "@/lib/approvals/queries/find-card";
import { getApproval } from "@/lib/approvals/queries/get-approval";
import { getApprovalOfStep } from "@/lib/approvals/queries/list-approvals";
import { listRunApprovals } from "@/lib/approvals/queries/list-run-approvals";
import { getRun } from "@/lib/runs/queries/get-run";
import type { KimitsuError } from "@/lib/errors";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench, type BenchFacts } from "@/lib/testing/engine-bench";
import { REVIEWER_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const OUTPUT = "output: { schema: { type: object, required: [n], properties: { n: { type: number } } } }\n";
const turns = (...lines: string[]) =>
  `agents:\n  worker:\n    turns:\n${lines.map((line) => `      - ${line}`).join("\n")}\n`;
const one = (step: string) =>
  `kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml${step} }\n`;

async function finish(facts: BenchFacts, params?: Record<string, unknown>) {
  const bench = await openEngineBench(database, facts);
  const runId = await bench.launch(params);
  return { bench, runId, run: await bench.read(runId) };
}

describe("the air-lock", () => {
  test("an answer that does not fit is returned to the agent with the reason, and the next one is accepted", async () => {
    const { run } = await finish({
      agent: OUTPUT,
      script: turns("output: { n: many }", "say: no JSON at all", "output: { n: 3 }"),
    });
    expect(run.output).toEqual({ work: { n: 3 } });
    const said = run.turns
      .slice(1)
      .map((turn) => (turn.request as { messages: { text: string }[] }).messages.at(-1)!.text);
    expect(said[0]).toMatch(/does not fit its schema: \/n must be number/);
    expect(said[1]).toMatch(/must be one JSON object/);
  });

  test("when the turns are used up the step fails, with the raw answer and the schema on record", async () => {
    const { run } = await finish({
      agent: `max_turns: 2\n${OUTPUT}`,
      script: turns("output: { n: many }", "output: { n: more }"),
    });
    expect(run.error).toMatchObject({ code: "output_invalid", step: "work" });
    expect(run.steps[0]!.rawOutput).toEqual({ n: "more" });
    expect(run.steps[0]!.error).toMatchObject({ schema: { required: ["n"] } });
    expect(run.turns).toHaveLength(2);
  });

  test("an answer that the model refused fails the step, and is not requested again", async () => {
    const { run } = await finish({
      script: turns('{ say: "I will not.", error: { kind: refused } }', "output: { n: 3 }"),
    });
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "model_refused", step: "work" });
    expect(run.steps[0]!.rawOutput).toBe("I will not.");
    expect(run.turns).toHaveLength(1);
  });

  test("a truncated answer is returned to the agent, even if the rest of it could be read", async () => {
    const { run } = await finish({
      script: turns('{ say: "Refund it, but only after the check.", error: { kind: cut } }', "say: Check first."),
    });
    expect(run.output).toEqual({ work: { text: "Check first." } });
    expect((run.turns[1]!.request as { messages: { text: string }[] }).messages.at(-1)!.text).toMatch(
      /cut at the token limit/,
    );
  });

  test("an answer that is truncated on the last turn too fails the step", async () => {
    const cut = '{ say: "Refund it, but only after the check.", error: { kind: cut } }';
    const { run } = await finish({ agent: "max_turns: 2\n", script: turns(cut, cut) });
    expect(run.error).toMatchObject({ code: "model_cut", step: "work" });
    expect(run.steps[0]!.rawOutput).toBe("Refund it, but onl");
    expect(run.turns).toHaveLength(2);
  });
});

describe("reserved fields", () => {
  const CASES: [string, string, object][] = [
    [
      "ktsu_injection_attempt before everything",
      "{ ktsu_injection_attempt: x, ktsu_untrusted_content: y, ktsu_low_quality: z }",
      { code: "injection_attempt" },
    ],
    [
      "ktsu_untrusted_content before poor quality",
      "{ ktsu_untrusted_content: y, ktsu_low_quality: z, ktsu_needs_human: a }",
      { code: "untrusted_content" },
    ],
    [
      "ktsu_low_quality before a person",
      "{ ktsu_low_quality: z, ktsu_needs_human: a, ktsu_confidence: 0.1 }",
      { code: "low_quality" },
    ],
    [
      "ktsu_confidence under the threshold before a reason to skip",
      "{ ktsu_confidence: 0.1, ktsu_skip_reason: b }",
      { code: "low_confidence" },
    ],
  ];
  test.each(CASES)("%s", async (_name, answer, error) => {
    const { run } = await finish({ script: turns(`output: ${answer}`), workflow: one(", confidence_threshold: 0.5") });
    expect(run.error).toMatchObject(error);
  });

  test("a reason to skip skips the step; flags and rationale are recorded and removed", async () => {
    const skipped = await finish({ script: turns("output: { ktsu_skip_reason: nothing to do }") });
    expect(skipped.run.output).toEqual({ work: { skipped: true, reason: "nothing to do" } });
    const noted = await finish({
      script: turns("output: { n: 1, ktsu_flags: [odd], ktsu_rationale: because, ktsu_confidence: 0.9 }"),
    });
    expect(noted.run.output).toEqual({ work: { n: 1 } });
    expect(noted.run.steps[0]!.state).toMatchObject({
      notes: { flags: ["odd"], rationale: "because", confidence: 0.9 },
    });
  });

  const REFLECT = {
    files: {},
    agentFile: 'name: worker\nmodel: standard\nprompt: { system: "Work.", user: "Go.", reflect: "Think again." }\n',
  };
  test("too little confidence triggers one reflection, then fails", async () => {
    const facts = (second: string) => ({
      script: turns("output: { n: 1, ktsu_confidence: 0.2 }", second),
      workflow: one(", confidence_threshold: 0.5"),
      files: { "agents/worker.agent.yaml": REFLECT.agentFile },
    });
    const better = await finish(facts("output: { n: 2, ktsu_confidence: 0.8 }"));
    expect(better.run.output).toEqual({ work: { n: 2 } });
    expect((better.run.turns[1]!.request as { messages: { text: string }[] }).messages[0]!.text).toBe("Think again.");
    const worse = await finish(facts("output: { n: 2, ktsu_confidence: 0.3 }"));
    expect(worse.run.error).toMatchObject({ code: "low_confidence" });
    expect(worse.run.turns).toHaveLength(2);
  });

  test("the reflection is filled in with the agent's params, like the task", async () => {
    const agent =
      'name: worker\nmodel: standard\nparams: { schema: { type: object, required: [n, list], properties: { n: { type: number }, list: { type: array } } } }\nprompt: { system: "Work.", user: "Add {{ params.n }}.", reflect: "Was it {{ params.n }} of {{ params.list }}?" }\n';
    const script = turns("output: { n: 1, ktsu_confidence: 0.2 }", "output: { n: 2, ktsu_confidence: 0.8 }");
    const { run } = await finish({
      script,
      workflow: one(", params: { n: 7, list: [7, 8] }, confidence_threshold: 0.5"),
      files: { "agents/worker.agent.yaml": agent },
    });
    expect(run.status).toBe("complete");
    expect(run.turns.map((turn) => (turn.request as { messages: { text: string }[] }).messages[0]!.text)).toEqual([
      "Add 7.",
      "Was it 7 of [7,8]?",
    ]);
  });
});

describe("an answer that a person must see", () => {
  const ASKS = { script: turns("output: { n: 1, ktsu_needs_human: unsure }") };

  test("waits for them, and continues with what they accept", async () => {
    const { bench, runId, run } = await finish(ASKS);
    expect(run.status).toBe("needs_human_review");
    expect(run.steps[0]!.rawOutput).toMatchObject({ n: 1, ktsu_needs_human: "unsure" });
    await reviewStep(bench.deps, REVIEWER_ACTOR, { runId, accepted: true });
    await bench.advance(runId);
    expect((await bench.read(runId)).output).toEqual({ work: { n: 1 } });
    await expect(reviewStep(bench.deps, REVIEWER_ACTOR, { runId, accepted: false })).rejects.toThrow(
      /nothing was changed/,
    );
  });

  test("ends the run when they refuse it, even within a fan-out that may fail", async () => {
    const { bench, runId } = await finish(ASKS);
    await reviewStep(bench.deps, REVIEWER_ACTOR, { runId, accepted: false });
    await bench.advance(runId);
    expect((await bench.read(runId)).error).toMatchObject({ code: "review_refused" });
    const fan = await finish(
      {
        ...ASKS,
        workflow: one(', for_each: { from: "{{ params.list }}", max_failures: -1 }').replace(
          "pipeline:",
          "params: { schema: { type: object, properties: { list: { type: array } } } }\npipeline:",
        ),
      },
      { list: [1, 2] },
    );
    expect(fan.run.status).toBe("needs_human_review");
    const waiting = (await getRun(database.db, fan.runId)).pendingReviews;
    expect(waiting.map(({ name }) => name)).toEqual(["work, item 1", "work, item 2"]);
    const unnamed = await reviewStep(fan.bench.deps, REVIEWER_ACTOR, { runId: fan.runId, accepted: true }).catch(
      (error: unknown) => error as KimitsuError,
    );
    expect(unnamed).toMatchObject({
      code: "conflict",
      issues: waiting.map(({ id, name }) => ({ path: id, message: `step ${name}` })),
    });
    await reviewStep(fan.bench.deps, REVIEWER_ACTOR, { runId: fan.runId, stepId: waiting[1]!.id, accepted: true });
    expect((await getRun(database.db, fan.runId)).pendingReviews.map(({ id }) => id)).toEqual([waiting[0]!.id]);
    await fan.bench.advance(fan.runId);
    expect((await fan.bench.read(fan.runId)).status).toBe("needs_human_review");
    await reviewStep(fan.bench.deps, REVIEWER_ACTOR, { runId: fan.runId, accepted: false });
    await fan.bench.advance(fan.runId);
    expect((await fan.bench.read(fan.runId)).error).toMatchObject({ code: "review_refused" });
  });

  test("accepting one answer does not accept the next: a violation is returned, and the person is asked again", async () => {
    const { bench, runId } = await finish({
      agent: OUTPUT,
      script: turns(
        "output: { n: many, ktsu_needs_human: unsure }",
        "output: { n: 2, ktsu_needs_human: still unsure }",
      ),
    });
    const [seen] = (await getRun(database.db, runId)).pendingReviews;
    const digest = digestOutput(seen!.rawOutput);
    await reviewStep(bench.deps, REVIEWER_ACTOR, { runId, stepId: seen!.id, digest, accepted: true });
    await bench.advance(runId);
    expect((await bench.read(runId)).status).toBe("needs_human_review");
    await expect(
      reviewStep(bench.deps, REVIEWER_ACTOR, { runId, stepId: seen!.id, digest, accepted: true }),
    ).rejects.toThrow(/not the one you saw/);
    await reviewStep(bench.deps, REVIEWER_ACTOR, { runId, accepted: true });
    await bench.advance(runId);
    expect((await bench.read(runId)).output).toEqual({ work: { n: 2 } });
  });
});

describe("turns", () => {
  test("the last turn has no tools and an instruction to conclude", async () => {
    const { run } = await finish({
      allowlist: "- echo",
      agent: "max_turns: 2\n",
      script: turns("call: [{ tool: echo, arguments: {} }]", "output: { done: true }"),
    });
    expect(run.output).toEqual({ work: { done: true } });
    expect(run.turns.map((turn) => (turn.request as { tools: string[] }).tools.length)).toEqual([1, 0]);
  });

  test("an agent that still calls tools on its last turn fails, and the call is not made", async () => {
    const { bench, run } = await finish({
      allowlist: "- echo",
      agent: "max_turns: 1\n",
      script: turns("call: [{ tool: mcp__recorder__echo, arguments: {}, unlisted: true }]"),
    });
    expect(run.error).toMatchObject({ code: "max_turns_exceeded" });
    expect(await bench.recorder.calls()).toHaveLength(0);
  });

  test("a failing model fails the step with its reason, and the reserved money is released", async () => {
    const { run } = await finish({
      script: turns("error: { kind: malformed }"),
      workflow: `${one("")}model_policy: { cost_budget_usd: 5 }\n`,
    });
    expect(run.error).toMatchObject({ code: "model_failed", step: "work" });
  });
});

describe("large results", () => {
  test("are cut for the model with a note, whether they are text or data, and stored whole", async () => {
    const calls = `{ tool: echo, arguments: { rows: "${"r".repeat(100_000)}" } }, { tool: large-result, arguments: { length: 100000 } }`;
    const script = turns(
      `call: [${calls}]`,
      'output: { data: "{{ results.echo }}", text: "{{ results.large-result }}" }',
    );
    const { run } = await finish({ allowlist: "- echo\n- large-result", script });
    const { work } = run.output as { work: { data: string; text: string } };
    expect(work.data).toMatch(/^\{"rows":"r{20000}[\s\S]*characters left out …\][\s\S]*r{5000}"\}$/);
    expect(work.text).toMatch(/^x{20000}[\s\S]*characters left out …\][\s\S]*x{5000}$/);
    for (const seen of [work.data, work.text]) expect(seen.length).toBeLessThanOrEqual(32_000);
    const [data, text] = run.calls.map(
      (call) => call.result as { output: string; structured_content: { rows: string } | null },
    );
    expect(data!.structured_content!.rows).toHaveLength(100_000);
    expect(text!.output).toHaveLength(100_000);
  });
});

describe("tool servers", () => {
  const broken = (required: boolean) => ({
    "servers/gone.server.yaml": `name: gone-${required}\nurl: "http://127.0.0.1:1/mcp"\nrequired: ${required}\n`,
    "agents/worker.agent.yaml":
      'name: worker\nmodel: standard\nprompt: { system: "Work.", user: "Go." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [echo] } }\n  - { name: gone, path: servers/gone.server.yaml }\n',
  });

  test("an unreachable required server fails the run; the run continues without one that is not required, and the trail says so once", async () => {
    const script = turns("call: [{ tool: echo, arguments: {} }]", "output: { done: true }");
    const { run } = await finish({ script, files: broken(true) });
    expect(run.error).toEqual({
      code: "tool_failed",
      message: expect.stringMatching(/gone-true.*cannot work without it/),
    });
    expect(run.turns).toHaveLength(0);
    const without = await finish({ script, files: broken(false) });
    expect(without.run.output).toEqual({ work: { done: true } });
    expect(without.run.turns).toHaveLength(2);
    const events = await database.db.event.findMany({ where: { chainId: without.runId, type: "server.unreachable" } });
    expect(events.map((event) => event.data)).toEqual([
      { server: "gone-false", message: expect.stringContaining("gone-false cannot be used") },
    ]);
    expect(await verifyAudit(without.bench.deps)).toMatchObject({ ok: true });
  });

  const LATER =
    "kind: workflow\nname: main\nparams: { schema: { type: object, properties: { where: { type: string } } } }\npipeline:\n";
  const lost = (params: string) => ({
    "servers/gone.server.yaml":
      'name: gone-later\nurl: "http://127.0.0.1:1/mcp"\nparams: { region: { description: where } }\n',
    "agents/first.agent.yaml": 'name: first\nmodel: standard\nprompt: { system: "Begin." }\n',
    "agents/worker.agent.yaml": `name: worker\nmodel: standard\nprompt: { system: "Work.", user: "Go." }\nparams: { schema: { type: object, properties: { region: { type: string } } } }\nservers:\n  - { path: servers/gone.server.yaml${params} }\n`,
    "agents/boss.agent.yaml":
      'name: boss\nmodel: standard\nprompt: { system: "Lead." }\nsubagents: [{ path: agents/worker.agent.yaml, params: { region: eu } }]\n',
    "workflows/below.workflow.yaml":
      'kind: workflow\nname: below\nvisibility: sub-workflow\nparams: { schema: { type: object, properties: { region: { type: string } } } }\npipeline: [{ id: deep, agent: ./agents/worker.agent.yaml, params: { region: "{{ params.region }}" } }]\n',
  });
  const BEGINS = "  - { id: first, agent: ./agents/first.agent.yaml }\n";
  const scripts =
    'agents:\n  first: { otherwise: { output: { region: eu } } }\n  "*": { otherwise: { output: { done: true } } }\n';
  const fromAgent = ', params: { region: "{{ params.region }}" }';
  test.each([
    [
      "a later step's agent",
      fromAgent,
      '  - { id: second, agent: ./agents/worker.agent.yaml, depends_on: [first], params: { region: "{{ params.where }}" } }\n',
      0,
    ],
    [
      "a sub-workflow's agent",
      fromAgent,
      '  - { id: second, workflow: ./workflows/below.workflow.yaml, depends_on: [first], input: { region: "{{ params.where }}" } }\n',
      0,
    ],
    ["a sub-agent", fromAgent, "  - { id: second, agent: ./agents/boss.agent.yaml, depends_on: [first] }\n", 0],
    [
      "an agent whose step gives the server something that a step must find out",
      ", params: { region: us }",
      '  - { id: second, agent: ./agents/worker.agent.yaml, params: { server: { gone-later: { region: "{{ step.first.region }}" } } } }\n',
      1,
    ],
    [
      "an agent whose own params a step must find out",
      fromAgent,
      '  - { id: second, agent: ./agents/worker.agent.yaml, params: { region: "{{ step.first.region }}" } }\n',
      1,
    ],
  ])(
    "a required server of %s is checked before the first step, if what it needs is known by then",
    async (_whose, params, second, turnsTaken) => {
      const { bench, runId } = await finish(
        { script: scripts, files: lost(params), workflow: `${LATER}${BEGINS}${second}` },
        { where: "eu" },
      );
      // A server that is found away later is waited for.
      for (const waitMs of turnsTaken > 0 ? SERVER_AWAY_WAITS_MS : []) {
        bench.clock.advance(waitMs);
        await bench.advance(runId);
      }
      const run = await bench.read(runId);
      expect(run.error).toMatchObject({ code: "tool_failed", message: expect.stringContaining("gone-later") });
      expect(run.turns).toHaveLength(turnsTaken);
    },
  );

  test(verifies("promise:9", "a tool of a server that cannot be listed is never called without a person"), async () => {
    const script = turns(
      "call: [{ tool: mcp__gone__anything, arguments: {}, unlisted: true }]",
      "output: { done: true }",
    );
    const { run } = await finish({ script, files: broken(false) });
    expect(run.calls.map((call) => call.status)).not.toContain("succeeded");
    expect(run.calls[0]!.status).toMatch(/denied|pending_approval/);
  });

  test(verifies("promise:9", "an unannotated tool that only a wildcard allows needs approval"), async () => {
    const { bench, runId } = await finish({ script: turns("call: [{ tool: t-none, arguments: {} }]", "output: {}") });
    expect(await bench.pending(runId)).toHaveLength(1);
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
  });

  test(
    verifies("promise:1", "what is not on the allowlist is refused, and arguments that do not fit are not sent"),
    async () => {
      const { bench, run } = await finish({
        allowlist: "- echo-env",
        script: turns(
          "call: [{ tool: mcp__recorder__echo, arguments: {}, unlisted: true }, { tool: echo-env, arguments: { names: 3 } }]",
          'output: { a: "{{ status.echo }}", b: "{{ status.echo-env }}" }',
        ),
      });
      expect(run.output).toEqual({ work: { a: "denied", b: "failed" } });
      expect(run.calls.map((call) => (call.error as { code: string }).code)).toEqual([
        "tool_not_permitted",
        "invalid_arguments",
      ]);
      expect(await bench.recorder.calls()).toHaveLength(0);
    },
  );

  test("a toolset's tools are offered from the turn after it was loaded, write tools only on request", async () => {
    const script = turns(
      "call: [{ tool: load_toolset, arguments: { toolset: extra } }]",
      "call: [{ tool: load_toolset, arguments: { toolset: extra, include_write_tools: true } }]",
      "call: [{ tool: echo, arguments: {} }]",
      "output: { done: true }",
    );
    const { bench, run } = await finish({
      script,
      server: "toolset: extra\n",
      allowlist: "- echo\n- t-ro1-de0-id1-ow0",
    });
    expect(run.turns.map((turn) => (turn.request as { tools: string[] }).tools.toSorted())).toEqual([
      ["load_toolset"],
      ["load_toolset", "mcp__recorder__t-ro1-de0-id1-ow0"],
      ["mcp__recorder__echo", "mcp__recorder__t-ro1-de0-id1-ow0"],
      ["mcp__recorder__echo", "mcp__recorder__t-ro1-de0-id1-ow0"],
    ]);
    expect(await bench.recorder.calls("echo")).toHaveLength(1);
  });
});

describe("sub-agents", () => {
  const boss = (allowlist: string, more = "subagents: [agents/worker.agent.yaml]\n") =>
    `name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [${allowlist}] } }\n${more}`;
  const files = (allowlist: string, more?: string) => ({
    "agents/boss.agent.yaml": boss(allowlist, more),
    "workflows/main.workflow.yaml":
      "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/boss.agent.yaml }\n",
  });
  const script = (call: string, answer = '{ a: "{{ status.echo }}" }') =>
    `agents:\n  boss:\n    turns:\n      - call: [{ tool: agent__worker, arguments: {} }]\n    otherwise: { output: { told: "{{ results.agent__worker }}", ended: "{{ status.agent__worker }}" } }\n  worker:\n    turns:\n      - call: [${call}]\n    otherwise: { output: ${answer} }\n`;
  const ECHO = "{ tool: mcp__recorder__echo, arguments: {}, unlisted: true }";

  test("never may do more than the agent that calls it", async () => {
    const { bench, run } = await finish({ allowlist: '- echo\n- "*"', script: script(ECHO), files: files("slow") });
    expect(run.output).toMatchObject({ work: { told: { a: "denied" } } });
    expect(await bench.recorder.calls("echo")).toHaveLength(0);
  });

  test("its calls are linked to the call that started it, and ask those whom the caller's rule names", async () => {
    const { bench, runId } = await finish({
      allowlist: "- echo",
      script: script(ECHO),
      files: files("{ name: echo, require_approval: { min_approvals: 2 } }"),
    });
    const [approval] = await bench.pending(runId);
    expect(approval).toMatchObject({ agent: "worker", minApprovals: 2 });
    await bench.decide(approval!, "approved");
    await bench.decide(approval!, "approved");
    await bench.advance(runId);
    const run = await bench.read(runId);
    expect(run.output).toMatchObject({ work: { told: { a: "succeeded" } } });
    const outer = run.calls.find((call) => call.tool === "worker")!;
    expect(run.calls.find((call) => call.tool === "echo")!.parentCallId).toBe(outer.id);
  });

  test("arguments that a reviewer changes are judged by the rules of every agent above it", async () => {
    const limited =
      'subagents: [agents/middle.agent.yaml]\npermissions: { rules: [{ tool: echo, when: "amount > `100`", decision: deny, reason: Too much }] }\n';
    const server = "servers:\n  - { name: recorder, path: servers/recorder.server.yaml }\n";
    const middle = `name: middle\nmodel: standard\nprompt: { system: "Pass on." }\n${server}subagents: [agents/worker.agent.yaml]\n`;
    const play =
      "agents:\n  boss: { turns: [{ call: [{ tool: agent__middle, arguments: {} }] }], otherwise: { output: { done: true } } }\n  middle: { turns: [{ call: [{ tool: agent__worker, arguments: {} }] }], otherwise: { output: { done: true } } }\n  worker: { turns: [{ call: [{ tool: echo, arguments: { amount: 10 } }] }], otherwise: { output: { done: true } } }\n";
    const { bench, runId } = await finish({
      allowlist: "- { name: echo, require_approval: {} }",
      script: play,
      files: { ...files('"*"', limited), "agents/middle.agent.yaml": middle },
    });
    const [approval] = await bench.pending(runId);
    await expect(bench.decide(approval!, "approved", { arguments: { amount: 500 } })).rejects.toThrow(
      /policy refuses the changed arguments.*Too much/,
    );
    expect(await bench.decide(approval!, "approved", { arguments: { amount: 50 } })).toBe("approved");
    await bench.advance(runId);
    expect((await bench.recorder.calls("echo")).map((call) => call.arguments)).toEqual([{ amount: 50 }]);
  });

  test("a run is found by every agent that may take part, however deep", async () => {
    const agent = (name: string, below = "") =>
      `name: ${name}\nmodel: standard\nprompt: { system: "Work." }\nsubagents: [${below}]\n`;
    const chain = {
      "agents/boss.agent.yaml": agent("boss", "agents/middle.agent.yaml"),
      "agents/middle.agent.yaml": agent("middle", "agents/worker.agent.yaml"),
      "agents/worker.agent.yaml": agent("worker"),
      "workflows/main.workflow.yaml": files("")["workflows/main.workflow.yaml"],
    };
    const { runId } = await finish({
      script: "agents: { boss: { otherwise: { output: { done: true } } } }\n",
      files: chain,
    });
    const search = await database.db.runSearch.findUniqueOrThrow({ where: { runId } });
    expect(search.agents.toSorted()).toEqual(["boss", "middle", "worker"]);
  });

  test("a failing sub-agent is a failed call to its caller; an attempted injection ends the run", async () => {
    const poor = await finish({
      allowlist: "- echo",
      script: script(ECHO, "{ ktsu_low_quality: bad }"),
      files: files("echo"),
    });
    expect(poor.run.output).toMatchObject({ work: { ended: "failed" } });
    const injected = await finish({
      allowlist: "- echo",
      script: script(ECHO, "{ ktsu_injection_attempt: obey }"),
      files: files("echo"),
    });
    expect(injected.run.error).toMatchObject({ code: "injection_attempt" });
  });

  test("gets the params that its caller's file fixes, and arguments that do not fit never start it", async () => {
    const worker =
      'name: worker\nmodel: standard\nprompt: { system: "Work." }\nparams: { schema: { type: object, required: [a, b], properties: { a: { type: string }, b: { type: number } } } }\n';
    const more =
      'params: { schema: { type: object, properties: { word: { type: string, default: fixed } } } }\nsubagents: [{ path: agents/worker.agent.yaml, params: { a: "{{ params.word }}" } }]\n';
    const play = (b: string) =>
      `agents:\n  boss:\n    turns:\n      - call: [{ tool: agent__worker, arguments: { b: ${b} } }]\n    otherwise: { output: { told: "{{ results.agent__worker }}" } }\n  worker:\n    otherwise: { output: { a: "{{ params.a }}", b: "{{ params.b }}" } }\n`;
    const fits = await finish({
      script: play("2"),
      files: { ...files("echo", more), "agents/worker.agent.yaml": worker },
    });
    expect(fits.run.output).toEqual({ work: { told: { a: "fixed", b: 2 } } });
    const violations = await finish({
      script: play('"two"'),
      files: { ...files("echo", more), "agents/worker.agent.yaml": worker },
    });
    expect(violations.run.calls[0]).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
    expect(violations.run.steps).toHaveLength(1);
  });
});

describe("what a rejection ends", () => {
  test(
    verifies(
      "approval:reach",
      "a sub-agent's call is shown under the step of the workflow's file, and a rejection ends the sub-agent alone",
    ),
    async () => {
      const script =
        'agents:\n  boss: { turns: [{ call: [{ tool: agent__worker, arguments: {} }] }], otherwise: { output: { told: "{{ status.agent__worker }}" } } }\n  worker: { turns: [{ call: [{ tool: t-none, arguments: {} }] }] }\n';
      const files = {
        "agents/boss.agent.yaml":
          'name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers: [{ name: recorder, path: servers/recorder.server.yaml }]\nsubagents: [agents/worker.agent.yaml]\n',
        "workflows/main.workflow.yaml":
          "kind: workflow\nname: main\npipeline: [{ id: lead, agent: ./agents/boss.agent.yaml }]\n",
      };
      const bench = await openEngineBench(database, { script, files });
      const runId = await bench.launch();
      const [approval] = await bench.pending(runId);
      const views = [
        approval!,
        await getApproval(database.db, approval!.id),
        await getApprovalOfStep(database.db, runId, "lead"),
        await findDecidable(database.db, { runId, stepKey: "lead" }),
        (await listRunApprovals(database.db, { runId, fingerprint: bench.deps.fingerprint })).items[0]!,
      ];
      expect(views.map(({ id, stepKey }) => [id, stepKey])).toEqual(views.map(() => [approval!.id, "lead"]));
      expect(
        (await findCard(database.db, approval!.id, { reader: await bench.person(), now: bench.clock.now() }))?.stepKey,
      ).toBe("lead");
      expect(await findReach(bench.deps, approval!)).toEqual({ ends: "subagent", agent: "worker", caller: "boss" });
      await bench.decide(approval!, "rejected");
      await bench.advance(runId);
      expect((await bench.read(runId)).status).toBe("complete");
    },
  );

  test("an item ends alone while its fan-out may lose one; after that the run ends with it", async () => {
    const workflow =
      'kind: workflow\nname: main\nparams: { schema: { type: object, properties: { list: { type: array } } } }\npipeline:\n  - { id: each, agent: ./agents/worker.agent.yaml, for_each: { from: "{{ params.list }}", max_failures: 1 } }\n';
    const bench = await openEngineBench(database, {
      script:
        "agents:\n  worker: { turns: [{ call: [{ tool: t-none, arguments: {} }] }], otherwise: { output: {} } }\n",
      workflow,
      allowlist: "- name: t-none\n  require_approval: { on_reject: fail }",
    });
    const runId = await bench.launch({ list: [1, 2, 3] });
    const [first, second] = await bench.pending(runId);
    expect([first!.stepKey, await findReach(bench.deps, first!)]).toEqual(["each", { ends: "item" }]);
    await bench.decide(first!, "rejected");
    await bench.advance(runId);
    expect((await bench.read(runId)).status).toBe("pending_approval");
    expect(await findReach(bench.deps, await getApproval(database.db, second!.id))).toEqual({ ends: "run" });
    await bench.decide(second!, "rejected");
    await bench.advance(runId);
    expect((await bench.read(runId)).status).toBe("failed");
  });
});

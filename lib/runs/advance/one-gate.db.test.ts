/**
 * One gate for every path: each path by which a tool can be reached is tried with a tool that must never run. Each path
 * is first tried with the tool allowed, because a path that leads nowhere proves nothing.
 */
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { retryRun } from "@/lib/runs/retry-run";
import { settleCall } from "@/lib/runs/settle-call";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, type EngineBench, openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const CALL = "{ tool: mcp__recorder__t-none, arguments: { n: 1 }, unlisted: true }";
const OTHERWISE = '    otherwise: { output: { ended: "{{ status.t-none }}" } }\n';
const script = (...turns: string[]) =>
  `agents:\n  worker:\n    turns:\n${turns.map((turn) => `      - ${turn}\n`).join("")}${OTHERWISE}`;
const ONCE = script(`call: [${CALL}]`);
const pipeline = (step: string, more = "") => `kind: workflow\nname: main\n${more}pipeline:\n  - ${step}\n`;
const bossFile = (allowlist: string) =>
  `name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [${allowlist}] } }\nsubagents: [agents/worker.agent.yaml]\n`;

interface Way {
  facts: Partial<BenchFacts> & { script: string };
  params?: Record<string, unknown>;
  /** What happens after the first advance. */
  after?: (bench: EngineBench, runId: string) => Promise<void>;
}

const WAYS: Record<string, Way> = {
  "an agent's step": { facts: { script: ONCE } },
  "two calls of one turn, one of them harmless": {
    facts: { script: script(`call: [{ tool: mcp__recorder__echo, arguments: {}, unlisted: true }, ${CALL}]`) },
  },
  "a call that is asked for again and again": {
    facts: { script: script(`call: [${CALL}]`, `call: [${CALL}]`, `call: [${CALL}]`) },
  },
  "the items of a fan-out": {
    facts: {
      script: ONCE,
      workflow: pipeline(
        '{ id: work, agent: ./agents/worker.agent.yaml, for_each: { from: "{{ params.list }}", concurrency: 2 } }',
        "params: { schema: { type: object, properties: { list: { type: array } } } }\n",
      ),
    },
    params: { list: [1, 2, 3] },
  },
  "a sub-workflow": {
    facts: {
      script: ONCE,
      workflow: pipeline("{ id: child, workflow: ./workflows/sub/child.workflow.yaml }"),
      files: {
        "workflows/sub/child.workflow.yaml":
          "kind: workflow\nname: child\nvisibility: sub-workflow\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\n",
      },
    },
  },
  "a sub-agent": {
    facts: {
      script: `${ONCE}  boss:\n    turns:\n      - call: [{ tool: agent__worker, arguments: {} }]\n    otherwise: { output: { done: true } }\n`,
      workflow: pipeline("{ id: work, agent: ./agents/boss.agent.yaml }"),
      files: { "agents/boss.agent.yaml": bossFile("t-none, echo") },
    },
  },
  "a toolset that is loaded later": {
    facts: {
      script: script(
        "call: [{ tool: load_toolset, arguments: { toolset: extra, include_write_tools: true } }]",
        `call: [${CALL}]`,
      ),
      server: "toolset: extra\n",
    },
  },
  "a toolset that the agent's file loads": {
    facts: { script: ONCE, server: "toolset: extra\n", agent: "toolsets: [{ name: extra, write: true }]\n" },
  },
  "a second agent of the pipeline": {
    facts: {
      script: `agents:\n  first:\n    otherwise: { output: { ok: true } }\n${ONCE.replace("agents:\n", "")}`,
      workflow:
        "kind: workflow\nname: main\npipeline:\n  - { id: first, agent: ./agents/first.agent.yaml }\n  - { id: work, depends_on: [first], agent: ./agents/worker.agent.yaml }\n",
      files: { "agents/first.agent.yaml": 'name: first\nmodel: standard\nprompt: { system: "Begin." }\n' },
    },
  },
  "the retry of a run that failed": {
    facts: {
      script: `agents:\n  worker:\n    turns:\n      - call: [${CALL}]\n      - output: { ktsu_low_quality: bad }\n`,
    },
    after: async (bench, runId) => {
      const retried = await retryRun(bench.deps, TEST_ACTOR, { runId });
      await bench.advance(retried.runId);
    },
  },
};

const NEVER: Record<string, Partial<BenchFacts>> = {
  "that the project denies": {
    allowlist: "- t-none\n- echo",
    files: { "policy.yaml": 'permissions: { deny: ["t-none"] }\n' },
  },
  "that is not on the allowlist": { allowlist: "- echo" },
  "that the mode plan does not let through": {
    allowlist: "- t-none\n- echo",
    files: { "policy.yaml": "permissions: { mode: plan }\n" },
  },
};

async function walk({ facts, params, after }: Way, more: Partial<BenchFacts>): Promise<EngineBench> {
  const bench = await openEngineBench(database, { ...facts, ...more, files: { ...facts.files, ...more.files } });
  const runId = await bench.launch(params);
  await after?.(bench, runId);
  return bench;
}

describe.each(Object.entries(WAYS))(verifies("promise:1", "through %s"), (_way, way) => {
  test("an allowed tool is reached", async () => {
    const bench = await walk(way, { allowlist: "- t-none\n- echo" });
    expect((await bench.recorder.calls("t-none")).length).toBeGreaterThan(0);
  });

  test.each(Object.entries(NEVER))("a tool %s is never called", async (_what, never) => {
    const bench = await walk(way, never);
    expect(await bench.recorder.calls("t-none")).toEqual([]);
    const asked = await database.db.call.findMany({
      where: { tool: { endsWith: "t-none" }, run: { configHash: bench.deps.projects.current().project.hash } },
    });
    expect(asked.length).toBeGreaterThan(0);
    expect([...new Set(asked.map(({ status }) => status))]).toEqual(["denied"]);
  });
});

test(
  verifies("promise:1", "a call that a person lets run again after an unknown outcome passes the rules of that day"),
  async () => {
    const facts = {
      script: `agents:\n  worker:\n    turns:\n      - call: [{ tool: drop-before, arguments: {} }]\n${OTHERWISE}`,
      allowlist: "- drop-before",
    };
    const bench = await openEngineBench(database, facts);
    const runId = await bench.launch();
    const [call] = (await bench.read(runId)).calls;
    expect(call!.status).toBe("outcome_unknown");
    const sent = (await bench.recorder.received()).length;
    const today = await openEngineBench(database, {
      ...facts,
      on: bench,
      files: { "policy.yaml": 'permissions: { deny: ["*"] }\n' },
    });
    await settleCall(today.deps, TEST_ACTOR, { callId: call!.id, outcome: "did_not_happen" });
    await today.advance(runId);
    expect((await bench.read(runId)).calls[0]!.status).toBe("denied");
    const calls = (await bench.recorder.received()).slice(sent).filter(({ method }) => method === "tools/call");
    expect(calls).toEqual([]);
  },
);

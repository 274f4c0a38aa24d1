/** What every answer to a sent request means for the call, and that the reference documents the same. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { cancelRun } from "@/lib/runs/cancel-run";
import { retryRun } from "@/lib/runs/retry-run";
import { settleCall } from "@/lib/runs/settle-call";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { startRun } from "@/lib/runs/start-run";
import { type AnsweringServer, startAnsweringServer } from "@/lib/testing/answers/answering-server";
import { type Asked, WIRE_ANSWERS, type WireAnswer } from "@/lib/testing/answers/wire-answers";
import { useDatabase } from "@/lib/testing/database";
import { eventTypes } from "@/lib/testing/engine-bench";
import { oneAgentProject, openRunBench, type RunBench, TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

interface Bench extends RunBench {
  server: AnsweringServer;
}

let opened: Promise<Bench> | undefined;
/** One bench for the file: only the server's answer differs from test to test. */
const open = (): Promise<Bench> => (opened ??= openBench());

const TOOLS = ["act", "promise", "look", "put"];
const agent = (name: string, server: string) => `name: ${name}
model: standard
prompt: { system: "Work.", user: "Go." }
servers: [{ name: answering, path: servers/${server}.server.yaml, access: { allowlist: [${TOOLS.join(", ")}] } }]
`;
const agentStep = (name: string) => `kind: workflow
name: ${name}
pipeline:
  - { id: work, agent: ./agents/${name}.agent.yaml }
`;
const turns = (name: string, tool: string) => `  ${name}:
    turns: [{ call: [{ tool: ${tool}, arguments: {} }] }]
    otherwise: { output: { ended: "{{ status.${tool} }}" } }
`;

async function openBench(): Promise<Bench> {
  const server = await startAnsweringServer();
  const hook = (name: string, more: string) => `kind: workflow
name: ${name}
pipeline:
  - { id: work, webhook: { url: "${server.origin}/hook"${more} } }
`;
  // Each tool with its own agent, and with one whose calls time out soon.
  const agents = TOOLS.flatMap((tool) => [
    { name: tool, tool, on: "answering" },
    { name: `${tool}-soon`, tool, on: "soon" },
  ]);
  const script = `agents:\n${agents.map(({ name, tool }) => turns(name, tool)).join("")}${turns("worker", "act")}`;
  const files = {
    ...oneAgentProject({ url: `${server.origin}/mcp`, allowlist: "- act", script }),
    "servers/answering.server.yaml": `name: answering\nurl: "${server.origin}/mcp"\n`,
    "servers/soon.server.yaml": `name: soon\nurl: "${server.origin}/mcp"\ntimeout: 1s\n`,
    ...Object.fromEntries(agents.map(({ name, on }) => [`agents/${name}.agent.yaml`, agent(name, on)])),
    ...Object.fromEntries(agents.map(({ name }) => [`workflows/${name}.workflow.yaml`, agentStep(name)])),
    "workflows/hook.workflow.yaml": hook("hook", ", body: { text: hello }"),
    "workflows/hook-soon.workflow.yaml": hook("hook-soon", ", body: { text: hello }, timeout_s: 1"),
    "workflows/hook-get.workflow.yaml": hook("hook-get", ", method: GET"),
  };
  const bench = await openRunBench(database, files);
  database.closing.push(() => server.close());
  return { ...bench, server };
}

/** A busy machine may not have sent it by the timeout, which has its own outcome: then it is started once more. */
async function runUntilSent(bench: Bench, workflow: string): Promise<string> {
  for (;;) {
    const { runId } = await startRun(bench.deps, { workflow, params: {}, actor: TEST_ACTOR });
    await bench.advance(runId);
    if (bench.server.arrived > 0) return runId;
  }
}

async function readRun(runId: string) {
  const { status, calls, steps } = await database.db.run.findUniqueOrThrow({
    where: { id: runId },
    include: { calls: true, steps: true },
  });
  return { status, call: calls[0]!, step: steps[0]! };
}

const CASES = WIRE_ANSWERS.flatMap((row) =>
  Object.keys(row.ways).map((way) => [row.answer.slice(0, 80), way, row] as const),
);
const RUN_STATUS = {
  tool: { succeeded: "complete", failed: "complete", outcome_unknown: "needs_human_review" },
  webhook: { succeeded: "complete", failed: "failed", outcome_unknown: "needs_human_review" },
} as const;
const SAYS = "%s (%s) means what the table says; what nobody knows is neither sent again nor retried without a person";

describe.each(["tool", "webhook"] as const)("after a %s was sent", (kind) => {
  const workflowFor = ({ isEndless, hasOutputSchema }: WireAnswer) => {
    const name = kind === "webhook" ? "hook" : hasOutputSchema ? "promise" : "act";
    return isEndless ? `${name}-soon` : name;
  };

  test.each(CASES)(verifies("calls:outcomes", SAYS), async (_answer, way, row) => {
    const bench = await open();
    bench.server.set(row.ways[way]!, row.resume);
    const runId = await runUntilSent(bench, workflowFor(row));
    const { status, call } = await readRun(runId);
    expect([call.status, status], JSON.stringify(call.error)).toEqual([row[kind], RUN_STATUS[kind][row[kind]]]);
    expect(bench.server.arrived).toBe(1);
    if (row[kind] !== "outcome_unknown") return;
    expect(await eventTypes(database, runId)).toContain("call.outcome_unknown");
    await cancelRun(bench.deps, TEST_ACTOR, { runId });
    await expect(retryRun(bench.deps, TEST_ACTOR, { runId })).rejects.toMatchObject({
      code: "conflict",
      issues: [{ path: call.id }],
    });
    expect(bench.server.arrived).toBe(1);
  });
});

const hangUp = ({ response }: Asked) => void response.socket?.end();
const answer =
  (result: object) =>
  ({ response, id = "none" }: Asked) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
/** Answers properly after this many times. */
const answerAfter = (times: number) => {
  let asked = 0;
  return (exchange: Asked) => (++asked <= times ? hangUp(exchange) : answer({ content: [] })(exchange));
};

describe("a read without a usable answer", () => {
  test.each([
    [
      "a tool that is declared read-only",
      "look",
      "complete",
      /^answering\.look gave no answer that can be used, tried 3 times: /,
    ],
    ["a webhook that is a GET", "hook-get", "failed", /^The webhook gave no answer: .* It was tried 3 times\.$/],
  ])(
    verifies(
      "calls:reads-fail",
      "%s is tried three times, then fails with its reason: no person is asked, and the run continues as after any other failure",
    ),
    async (_what, workflow, status, reason) => {
      const bench = await open();
      bench.server.set(hangUp);
      const runId = await runUntilSent(bench, workflow);
      const run = await readRun(runId);
      expect(bench.server.arrived).toBe(3);
      expect(run).toMatchObject({
        status,
        call: { status: "failed", attempt: 3, error: { message: expect.stringMatching(reason) } },
      });
      expect(await eventTypes(database, runId)).not.toContain("call.outcome_unknown");
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );

  test(verifies("calls:reads-fail", "a read that times out fails too, and stops no run"), async () => {
    const bench = await open();
    bench.server.set(() => {});
    expect(await readRun(await runUntilSent(bench, "look-soon"))).toMatchObject({
      status: "complete",
      call: { status: "failed", error: { message: expect.stringContaining("1000 ms") } },
    });
  });

  test.each(["look", "hook-get"])("of %s that answers the third time is a success", async (workflow) => {
    const bench = await open();
    bench.server.set(answerAfter(2));
    expect(await readRun(await runUntilSent(bench, workflow))).toMatchObject({
      status: "complete",
      call: { status: "succeeded" },
    });
    expect(bench.server.arrived).toBe(3);
  });

  test("whose answer would be the same again fails at once", async () => {
    const bench = await open();
    bench.server.set(
      ({ response }) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>"),
    );
    expect(await readRun(await runUntilSent(bench, "look"))).toMatchObject({
      status: "complete",
      call: {
        status: "failed",
        error: { message: expect.stringContaining("tried once: Unexpected content type: text/html") },
      },
    });
    expect(bench.server.arrived).toBe(1);
  });

  test.each(["look", "hook-get"])(
    "of %s is left to another process when this one ends between the tries",
    async (workflow) => {
      const bench = await open();
      const stop = new AbortController();
      bench.server.set((asked) => {
        stop.abort();
        hangUp(asked);
      });
      const { runId } = await startRun(bench.deps, { workflow, params: {}, actor: TEST_ACTOR });
      expect(await bench.advance(runId, stop.signal)).toMatchObject({ kind: "parked" });
      expect(await readRun(runId)).toMatchObject({ status: "running", call: { status: "executing" } });
      bench.server.set(answerAfter(0));
      expect(await bench.advance(runId)).toEqual({ kind: "settled" });
      expect(await readRun(runId)).toMatchObject({ status: "complete", call: { status: "succeeded" } });
    },
  );
});

test(
  verifies(
    "promise:3",
    "a write that may be repeated is tried three times, and then a person is asked: it may have happened",
  ),
  async () => {
    const bench = await open();
    bench.server.set(hangUp);
    expect(await readRun(await runUntilSent(bench, "put"))).toMatchObject({
      status: "needs_human_review",
      call: { status: "outcome_unknown", attempt: 3 },
    });
    expect(bench.server.arrived).toBe(3);
  },
);

test("a result that does not fit the tool's schema is kept, and is the outcome when a person says that it happened", async () => {
  const bench = await open();
  bench.server.set(answer({ content: [{ type: "text", text: "paid" }], structuredContent: { total: "five" } }));
  const runId = await runUntilSent(bench, "promise");
  const { call } = await readRun(runId);
  await settleCall(bench.deps, TEST_ACTOR, { callId: call.id, outcome: "happened" });
  expect(await bench.advance(runId)).toEqual({ kind: "settled" });
  const result = { success: true, output: "paid", structured_content: { total: "five" } };
  expect(await readRun(runId)).toMatchObject({ status: "complete", call: { status: "succeeded", result } });
  expect(bench.server.arrived).toBe(1);
});

test("the reference has the same table", () => {
  const text = readFileSync(path.resolve(import.meta.dirname, "../../../docs/reference/outcomes.md"), "utf8");
  const written = [
    ...text.matchAll(/^\| (.+?) \| `(succeeded|failed|outcome_unknown)` \| `(succeeded|failed|outcome_unknown)` \|$/gm),
  ].map(([, answer, tool, webhook]) => ({ answer, tool, webhook }));
  expect(written).toEqual(WIRE_ANSWERS.map(({ answer, tool, webhook }) => ({ answer, tool, webhook })));
});

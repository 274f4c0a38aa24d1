import { afterAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { startRun } from "@/lib/runs/start-run";
import { useDatabase } from "@/lib/testing/database";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { oneAgentProject, TEST_ACTOR } from "@/lib/testing/run-bench";
import { type CollectedSpan, startTraceCollector } from "@/lib/testing/trace-collector";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";
import { openTracing } from "./open-tracing";
import { runSpanContext } from "./run-trace";
import { switchTracing, withSpan } from "./span";

const SECRET = "sentinel-token-5f1c9";
const ARGUMENT = "sentinel-argument-77ab2";

const database = useDatabase();
let fleet: Fleet | undefined;
afterAll(async () => {
  switchTracing(false);
  await fleet?.close();
});

function tracedProject(url: string): Record<string, string> {
  const script = `agents:
  worker:
    turns:
      - say: "I look, and say ${ARGUMENT}."
        call: [{ tool: echo-headers, arguments: { text: "${ARGUMENT}" } }, { tool: t-none, arguments: { text: "${ARGUMENT}" } }]
      - output: { told: "{{ results.echo-headers }}" }
`;
  return {
    ...oneAgentProject({ url, script, allowlist: "" }),
    "servers/recorder.server.yaml": `name: recorder\nurl: "${url}"\nauth: { header: X-Api-Key, scheme: raw, secret: "{{ params.token }}" }\nparams: { token: { secret: true } }\n`,
    "agents/worker.agent.yaml": `name: worker
model: standard
prompt: { system: "Work.", user: "Go." }
params: { schema: { type: object, properties: { token: { type: string, secret: true } } } }
servers:
  - { name: recorder, path: servers/recorder.server.yaml, params: { token: "{{ params.token }}" }, access: { allowlist: [echo-headers, { name: t-none, require_approval: { on_reject: recover } }] } }
`,
    "workflows/main.workflow.yaml": `kind: workflow
name: main
env: [{ name: SVC_TOKEN, secret: true }]
pipeline:
  - { id: work, agent: ./agents/worker.agent.yaml, params: { token: "{{ env.SVC_TOKEN }}" } }
`,
  };
}

test(
  verifies(
    "operations:trace",
    "a run that is started, advanced, approved and ended in different processes is one trace, without a secret or an argument",
  ),
  async () => {
    const collector = await startTraceCollector();
    const server = await startRecordingServer({});
    const { deps, ...own } = (fleet = await openFleet(database, tracedProject(server.url)));
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, SVC_TOKEN: SECRET };
    const opened = openTracing({ endpoint: collector.endpoint, serviceName: "kimitsu" });
    switchTracing(true);
    const person = await own.person("Rea");

    const first = await own.startWorker(traced);
    const { runId } = await withSpan({ name: "POST /runs" }, () =>
      startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR }),
    );
    // A process that ends waits two seconds for its last spans to be accepted, and a busy machine needs longer, so each
    // is ended only when they have arrived.
    const { traceId, spanId: rootId } = runSpanContext(runId);
    const arrived = (...names: string[]) =>
      until(async () => collector.spans().map((span) => span.name), {
        what: `${names.join(", ")} told`,
        isDone: (seen) =>
          names.every(
            (name) => seen.filter((each) => each === name).length >= names.filter((each) => each === name).length,
          ),
      });
    const [approval] = await until(
      () => database.db.approval.findMany({ where: { runId, status: "pending", run: { leaseOwner: null } } }),
      { what: "the run waits", isDone: (rows) => rows.length === 1 },
    );
    await arrived("advance run", "step work", "invoke_agent worker", "chat m", "execute_tool echo-headers");
    await first.stop();
    await own.startWorker(traced).then(async (second) => {
      await withSpan({ name: "POST /decide" }, () =>
        decideApproval(deps, person, { approvalId: approval!.id, verdict: "approved" }),
      );
      await until(() => database.db.run.findUniqueOrThrow({ where: { id: runId } }), {
        what: "complete",
        isDone: (run) => run.status === "complete",
      });
      await arrived(
        "advance run",
        "advance run",
        "step work",
        "step work",
        "invoke_agent worker",
        "invoke_agent worker",
        "chat m",
        "chat m",
        "execute_tool t-none",
        "await_approval t-none",
        "invoke_workflow main",
      );
      await second.stop();
    });
    await arrived("POST /runs", "POST /decide");
    switchTracing(false);
    await opened.close();

    const spans = collector.spans().filter((span) => span.traceId === traceId);
    const ids = new Set(spans.map((span) => span.spanId));
    expect(ids.size).toBe(spans.length);
    expect(spans.filter((span) => !span.parentSpanId).map((span) => [span.spanId, span.name])).toEqual([
      [rootId, "invoke_workflow main"],
    ]);
    expect(spans.filter((span) => span.parentSpanId && !ids.has(span.parentSpanId))).toEqual([]);
    expect(new Set(spans.map((span) => span.instance)).size, "processes").toBe(3);

    const named = (name: string): CollectedSpan[] => spans.filter((span) => span.name === name);
    expect(named("advance run").length).toBeGreaterThanOrEqual(2);
    const childOf = (span: CollectedSpan | undefined) =>
      spans.find((candidate) => candidate.spanId === span?.parentSpanId)?.name;
    expect([
      childOf(named("step work")[0]),
      childOf(named("invoke_agent worker")[0]),
      childOf(named("chat m")[0]),
      childOf(named("execute_tool t-none")[0]),
    ]).toEqual(["advance run", "step work", "invoke_agent worker", "invoke_agent worker"]);
    const turns = await database.db.turn.findMany({ where: { runId }, orderBy: { number: "asc" } });
    const chats = named("chat m").toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
    expect(chats.map((span) => span.attributes)).toMatchObject(
      turns.map((turn) => ({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "m",
        "gen_ai.conversation.id": runId,
        "gen_ai.usage.input_tokens": turn.tokensIn,
        "gen_ai.usage.output_tokens": turn.tokensOut,
      })),
    );
    const [wait] = named("await_approval t-none");
    expect(wait?.attributes).toMatchObject({
      "kimitsu.approval.id": approval!.id,
      "kimitsu.approval.outcome": "approved",
    });
    const requests = collector.spans().filter((span) => span.name.startsWith("POST "));
    expect(wait?.links.map((link) => link.spanId)).toEqual([
      requests.find((span) => span.name === "POST /decide")?.spanId,
    ]);
    expect(requests.find((span) => span.name === "POST /runs")?.links).toMatchObject([{ traceId, spanId: rootId }]);

    // The server got the trace context in both places where servers look for it.
    for (const tool of ["echo-headers", "t-none"]) {
      const [call] = await server.calls(tool);
      // A call that an overloaded worker gave up before sending has a span as well.
      const span = named(`execute_tool ${tool}`).find(
        ({ attributes }) => attributes["kimitsu.call.outcome"] === "succeeded",
      );
      const expected = `00-${traceId}-${span?.spanId}-01`;
      expect([(call!.meta as Record<string, unknown>).traceparent, call!.headers.traceparent]).toEqual([
        expected,
        expected,
      ]);
      expect(span?.attributes).toMatchObject({
        "gen_ai.operation.name": "execute_tool",
        "mcp.method.name": "tools/call",
        "kimitsu.server": "recorder",
        "kimitsu.call.outcome": "succeeded",
      });
    }
    // The server was given the secret and the argument, so both could have leaked.
    expect((await server.calls("t-none"))[0]).toMatchObject({
      arguments: { text: ARGUMENT },
      headers: { "x-api-key": SECRET },
    });
    for (const sentinel of [SECRET, ARGUMENT]) expect(collector.text()).not.toContain(sentinel);
    await server.close();
    await collector.close();
  },
);

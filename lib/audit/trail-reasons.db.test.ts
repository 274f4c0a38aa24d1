/**
 * The trail says why a call was allowed, asked or refused: the layer, the file and line, the code. The model gets the
 * same reason.
 */
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, eventTypes, openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const script = (...turns: string[]) =>
  `agents:\n  worker:\n    turns:\n${turns.map((turn) => `      - ${turn}\n`).join("")}`;

async function launched(facts: BenchFacts) {
  const bench = await openEngineBench(database, facts);
  const runId = await bench.launch();
  const trail = async (type: string) => {
    const events = await database.db.event.findMany({
      where: { chainId: runId, type },
      orderBy: [{ seq: "asc" }, { place: "asc" }],
    });
    return events.map(({ data }) => data as Record<string, unknown>);
  };
  return { bench, runId, trail };
}

test(
  verifies("audit:reasons", "a call that nobody was asked about is allowed, not approved, by a layer and a line"),
  async () => {
    const { runId, trail } = await launched({
      allowlist: "- echo",
      script: script("call: [{ tool: echo, arguments: { a: 1 } }]", "output: {}"),
    });
    expect(await trail("call.allowed")).toEqual([
      expect.objectContaining({
        server: "recorder",
        tool: "echo",
        layer: "allow",
        source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
      }),
    ]);
    expect(await eventTypes(database, runId)).not.toContain("call.approved");
  },
);

test(verifies("audit:reasons", "an approval names the rule that asked for it, and so does its call"), async () => {
  const { trail } = await launched({
    allowlist: "- echo\n- name: t-none\n  require_approval: { reason: big }",
    script: script("call: [{ tool: t-none, arguments: { a: 1 } }]", "output: {}"),
  });
  const reason = {
    server: "recorder",
    tool: "t-none",
    layer: "require_approval",
    source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
  };
  expect(await trail("approval.requested")).toEqual([expect.objectContaining(reason)]);
  expect(await trail("call.pending_approval")).toEqual([expect.objectContaining(reason)]);
});

test(
  verifies("audit:reasons", "a call off the allowlist is recorded with its server and tool, and refused for that"),
  async () => {
    const turns = script(
      "call: [{ tool: mcp__recorder__echo, arguments: {}, unlisted: true }, { tool: mcp__recorder__made-up, arguments: {}, unlisted: true }]",
      'output: { told: "{{ results.echo }}" }',
    );
    const { bench, runId, trail } = await launched({ allowlist: "- echo-env", script: turns });
    const denied = {
      server: "recorder",
      code: "tool_not_permitted",
      layer: "allowlist",
      source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
    };
    expect(await trail("call.denied")).toEqual([
      expect.objectContaining({ ...denied, tool: "echo" }),
      expect.objectContaining({ ...denied, tool: "made-up" }),
    ]);
    expect((await bench.read(runId)).output).toEqual({
      work: {
        told: {
          status: "denied",
          tool: "recorder.echo",
          code: "tool_not_permitted",
          reason: "Tool 'recorder.echo' is not on the allowlist of agent 'worker'",
        },
      },
    });
    expect(await bench.recorder.calls()).toHaveLength(0);
  },
);

test(verifies("audit:reasons", "after `skip` the model learns that the tool was withdrawn, and by what"), async () => {
  const again = "call: [{ tool: mcp__recorder__t-none, arguments: { amount: 2 }, unlisted: true }]";
  const { bench, runId, trail } = await launched({
    allowlist: "- echo\n- name: t-none\n  require_approval: { on_reject: skip }",
    script: script(
      "call: [{ tool: t-none, arguments: { amount: 1 } }]",
      again,
      'output: { told: "{{ results.t-none }}" }',
    ),
  });
  await bench.decide((await bench.pending(runId))[0]!, "rejected", { reason: "no" });
  await bench.advance(runId);
  expect((await bench.read(runId)).output).toEqual({
    work: {
      told: {
        status: "denied",
        tool: "recorder.t-none",
        code: "tool_withdrawn",
        reason: expect.stringMatching(
          /People did not let recorder\.t-none through earlier in this step, and its rule says `on_reject: skip`/,
        ),
      },
    },
  });
  expect(await trail("call.denied")).toEqual([
    expect.objectContaining({ server: "recorder", tool: "t-none", code: "tool_withdrawn" }),
  ]);
});

test(verifies("audit:reasons", "a narrowed sub-agent learns that its caller did not give it the tool"), async () => {
  const files = {
    "agents/helper.agent.yaml":
      "name: helper\nmodel: standard\nprompt: { system: Help. }\nservers:\n  - name: recorder\n    path: servers/recorder.server.yaml\n    access: { allowlist: [echo, echo-headers] }\n",
  };
  const turns = `agents:
  worker:
    turns:
      - call: [{ tool: agent__helper, arguments: {} }]
      - output: {}
  helper:
    turns:
      - call: [{ tool: mcp__recorder__echo-headers, arguments: {}, unlisted: true }]
      - output: { told: "{{ results.echo-headers }}" }
`;
  const { bench, runId, trail } = await launched({
    files,
    allowlist: "- echo\n- echo-headers",
    agent: "subagents: [{ path: agents/helper.agent.yaml, tools: [recorder.echo] }]\n",
    script: turns,
  });
  const denied = {
    server: "recorder",
    tool: "echo-headers",
    code: "tool_not_permitted",
    layer: "allowlist",
    source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
  };
  expect(await trail("call.denied")).toEqual([expect.objectContaining(denied)]);
  const nested = (await bench.read(runId)).calls.find(({ status }) => status === "denied");
  expect(nested?.error).toMatchObject({
    message: "Tool 'recorder.echo-headers' is not among the tools that agent 'helper' was given",
  });
});

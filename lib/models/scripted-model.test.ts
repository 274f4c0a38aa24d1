import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Json,
  type Model,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelTurn,
  type ToolResultStatus,
} from "./model";
import { getScript } from "./parse-script";
import { createScriptedModel } from "./scripted-model";

const TOOLS = ["mcp__shop__orders-read", "mcp__shop__issue-refund", "mcp__crm__close", "load_toolset"];

function load(yaml: string, id = "scripted/demo"): Model {
  return createScriptedModel({ id, file: "models/t.script.yaml", script: getScript("models/t.script.yaml", yaml) });
}

function ask(
  messages: ModelMessage[],
  change: Partial<Omit<ModelRequest, "metadata">> & { metadata?: Partial<ModelRequest["metadata"]> } = {},
): ModelRequest {
  const metadata = { agent: "a", runId: "run_1", stepId: "step_1", turn: 1, ...change.metadata };
  const tools = TOOLS.map((name) => ({ name, description: "", inputSchema: { type: "object" } }));
  return { system: "", messages, tools, maxTokens: null, temperature: null, ...change, metadata };
}

const user = (text: string): ModelMessage => ({ role: "user", text });
const never = new AbortController().signal;

/** What the engine does between two turns: every call of the turn gets a result. */
function answer(
  messages: ModelMessage[],
  turn: ModelTurn,
  results: { status: ToolResultStatus; output: Json }[],
): ModelMessage[] {
  return [
    ...messages,
    { role: "assistant", text: turn.text, toolCalls: turn.toolCalls },
    { role: "tool", results: turn.toolCalls.map(({ id, name }, index) => ({ callId: id, name, ...results[index]! })) },
  ];
}

const REFUND = `
agents:
  a:
    params: { order_id: 'order (A-\\d+)' }
    rules:
      - when: "length(tools) == \`0\`"
        output: { concluded: true }
    turns:
      - say: "Looking at {{ params.order_id }}"
        call: [{ tool: orders-read, arguments: { order_id: "{{ params.order_id }}" } }]
      - call: [{ tool: shop.issue-refund, arguments: { amount: "{{ results.orders-read.total }}", note: "for {{ params.order_id }}" } }]
      - branches:
          - when: "status.\\"issue-refund\\" == 'rejected'"
            output: { refunded: false, why: "{{ last[0].output.reason }}" }
          - when: "last[?status == 'expired']"
            say: "Nobody answered."
          - output: { refunded: true, id: "{{ results.issue-refund.refund_id }}" }
`;

const SEEN = { status: "succeeded", output: '{"total": 196.5}' } as const;

async function playToThird(result: { status: ToolResultStatus; output: Json }): Promise<ModelTurn> {
  const model = load(REFUND);
  let messages = [user("Please refund order A-1042.")];
  messages = answer(messages, await model.generate(ask(messages), never), [SEEN]);
  messages = answer(messages, await model.generate(ask(messages), never), [result]);
  return model.generate(ask(messages), never);
}

describe("a conversation", () => {
  test("is played turn by turn, with values from the user's text and from earlier results", async () => {
    const model = load(REFUND);
    const messages = [user("Please refund order A-1042.")];
    const first = await model.generate(ask(messages), never);
    expect(first).toMatchObject({
      text: "Looking at A-1042",
      finishReason: "tool_calls",
      toolCalls: [{ id: "scripted-1-1", name: "mcp__shop__orders-read", arguments: { order_id: "A-1042" } }],
    });
    const second = await model.generate(ask(answer(messages, first, [SEEN])), never);
    expect(second.toolCalls).toEqual([
      { id: "scripted-2-1", name: "mcp__shop__issue-refund", arguments: { amount: 196.5, note: "for A-1042" } },
    ]);
  });

  test.each([
    ["succeeded", { refund_id: "P-1" }, '{"refunded":true,"id":"P-1"}'],
    ["rejected", { status: "rejected", reason: "Wrong customer" }, '{"refunded":false,"why":"Wrong customer"}'],
    ["expired", { status: "expired" }, "Nobody answered."],
  ] as const)("takes the branch for a call that was %s", async (status, output, text) => {
    expect(await playToThird({ status, output })).toMatchObject({ text, toolCalls: [], finishReason: "stop" });
  });

  test("concludes by a rule when no tools are offered, whatever the turn", async () => {
    const turn = await load(REFUND).generate(ask([user("hello")], { tools: [] }), never);
    expect(turn.text).toBe('{"concluded":true}');
  });

  test("continues with the next turn after the engine hands an answer back", async () => {
    const model = load(
      `agents: { a: { turns: [{ output: { category: wrong } }, { output: { category: billing, heard: "{{ user.latest }}" } }] } }`,
    );
    const first = await model.generate(ask([user("x")]), never);
    const messages: ModelMessage[] = [
      user("x"),
      { role: "assistant", text: first.text, toolCalls: [] },
      user("category must be billing"),
    ];
    expect((await model.generate(ask(messages), never)).text).toBe(
      '{"category":"billing","heard":"category must be billing"}',
    );
  });

  test("gives the same turn to the same messages in a model loaded anew", async () => {
    const messages = [user("order A-7")];
    const first = await load(REFUND).generate(ask(messages), never);
    const longer = answer(messages, first, [SEEN]);
    const used = load(REFUND);
    await used.generate(ask(messages), never);
    await used.generate(ask(longer), never);
    expect(await used.generate(ask(longer), never)).toEqual(await load(REFUND).generate(ask(longer), never));
  });

  test("follows every mix of decisions on parallel calls", async () => {
    const script = `
agents:
  a:
    turns:
      - call: [{ tool: orders-read }, { tool: issue-refund }, { tool: crm.close }]
      - output: { first: "{{ last[0].status }}", second: "{{ last[1].status }}", third: "{{ last[2].status }}", refund: "{{ status.issue-refund }}" }
`;
    const model = load(script);
    const status = fc.constantFrom<ToolResultStatus>(
      "succeeded",
      "failed",
      "denied",
      "rejected",
      "expired",
      "cancelled",
    );
    await fc.assert(
      fc.asyncProperty(fc.tuple(status, status, status), async (statuses) => {
        const messages = [user("x")];
        const turn = await model.generate(ask(messages), never);
        const next = await model.generate(
          ask(
            answer(
              messages,
              turn,
              statuses.map((each) => ({ status: each, output: null })),
            ),
          ),
          never,
        );
        const [first, second, third] = statuses;
        expect(JSON.parse(next.text)).toEqual({ first, second, third, refund: second });
      }),
    );
  });

  test("reads JSON in the user's text and the common shape of tool results", async () => {
    const model = load(
      `agents: { a: { turns: [{ call: [{ tool: orders-read, arguments: { n: "{{ params.n }}" } }] }, { output: "{{ results.orders-read.total }}" }] } }`,
    );
    const messages = [user('Handle this:\n{"n": 3}\nThanks')];
    const first = await model.generate(ask(messages), never);
    expect(first.toolCalls[0]!.arguments).toEqual({ n: 3 });
    const shaped = { success: true, output: "text", structured_content: { total: 5 } };
    expect(
      (await model.generate(ask(answer(messages, first, [{ status: "succeeded", output: shaped }])), never)).text,
    ).toBe("5");
  });
});

describe("the script of an agent", () => {
  const yaml = `agents: { a: { turns: [{ say: mine }] }, "*": { otherwise: { say: anyone } } }`;

  test("is found by the agent's name, and `*` serves the others on every turn", async () => {
    const model = load(yaml);
    expect((await model.generate(ask([user("x")]), never)).text).toBe("mine");
    const long: ModelMessage[] = [user("x"), { role: "assistant", text: "", toolCalls: [] }, user("y")];
    expect((await model.generate(ask(long, { metadata: { agent: "b" } }), never)).text).toBe("anyone");
  });

  test("can differ by model, so that one file serves a group with a fallback", async () => {
    const group = `agents: { a: { rules: [{ when: "model == 'scripted/down'", error: { kind: overloaded } }], turns: [{ say: fine }] } }`;
    await expect(load(group, "scripted/down").generate(ask([user("x")]), never)).rejects.toMatchObject({
      kind: "overloaded",
      isTransient: true,
    });
    expect((await load(group, "scripted/up").generate(ask([user("x")]), never)).text).toBe("fine");
  });
});

describe("an error names script, agent and turn", () => {
  const said: ModelMessage[] = [user("x"), { role: "assistant", text: "", toolCalls: [] }, user("y")];
  test.each([
    [
      "no turn left",
      `agents: { a: { turns: [{ say: x }] } }`,
      said,
      /Script models\/t\.script\.yaml, agent a, turn 2: the script has no turn left \(it has 1\)/,
    ],
    [
      "no branch fits",
      `agents: { a: { turns: [{ branches: [{ when: "last", say: x }] }] } }`,
      [user("x")],
      /agent a, turn 1: no branch fits/,
    ],
    [
      "an unknown agent",
      `agents: { b: { turns: [{ say: x }] } }`,
      [user("x")],
      /models\/t\.script\.yaml has no agent "a"; it has b/,
    ],
    [
      "a tool that is not offered",
      `agents: { a: { turns: [{ call: [{ tool: nope }] }] } }`,
      [user("x")],
      /turn 1: the tool "nope" is not offered \(offered: mcp__shop__orders-read/,
    ],
    [
      "a value that is not there",
      `agents: { a: { turns: [{ say: "{{ params.gone }}" }] } }`,
      [user("x")],
      /turn 1: .*"params.gone" has no value/,
    ],
    [
      "a condition that fails",
      `agents: { a: { rules: [{ when: "length(turn)", say: x }] } }`,
      [user("x")],
      /turn 1: the condition "length\(turn\)" failed/,
    ],
  ])("when there is %s", async (_case, yaml, messages, text) => {
    const failure = await load(yaml)
      .generate(ask(messages), never)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject({
      code: "model_failed",
      kind: "script",
      isTransient: false,
      message: expect.stringMatching(text),
    });
  });

  test("when a name matches two servers, with both of them", async () => {
    const tools = ["mcp__x__read", "mcp__y__read"].map((name) => ({ name, description: "", inputSchema: {} }));
    const model = load(`agents: { a: { turns: [{ call: [{ tool: read }] }] } }`);
    await expect(model.generate(ask([user("x")], { tools }), never)).rejects.toThrow(
      "write one of mcp__x__read, mcp__y__read",
    );
  });
});

test("a tool that was never offered can be asked for on purpose", async () => {
  const model = load(`agents: { a: { turns: [{ call: [{ tool: mcp__bank__drain, unlisted: true }] }] } }`);
  expect((await model.generate(ask([user("x")]), never)).toolCalls[0]!.name).toBe("mcp__bank__drain");
});

describe("a provider's failure", () => {
  test.each(["rate_limited", "overloaded", "malformed"] as const)(
    "of the kind %s is thrown, and may pass",
    async (kind) => {
      const model = load(`agents: { a: { turns: [{ error: { kind: ${kind}, retry_after_ms: 50 } }] } }`);
      await expect(model.generate(ask([user("x")]), never)).rejects.toMatchObject({
        kind,
        isTransient: true,
        retryAfterMs: 50,
        model: "scripted/demo",
      });
    },
  );

  test("passes after the stated number of tries, as counted by the caller", async () => {
    const model = load(`agents: { a: { turns: [{ say: there, error: { kind: rate_limited, attempts: 2 } }] } }`);
    const attempt = (number: number) => model.generate(ask([user("x")], { metadata: { attempt: number } }), never);
    await expect(attempt(1)).rejects.toThrow("rate_limited");
    await expect(attempt(2)).rejects.toThrow("rate_limited");
    expect((await attempt(3)).text).toBe("there");
    await expect(attempt(1)).rejects.toThrow("rate_limited");
  });

  test("a refusal and a cut-off answer are turns with that finish reason", async () => {
    const refused = load(`agents: { a: { turns: [{ say: "I will not.", error: { kind: refused } }] } }`);
    expect(await refused.generate(ask([user("x")]), never)).toMatchObject({
      text: "I will not.",
      finishReason: "refused",
      toolCalls: [],
    });
    const cut = load(`agents: { a: { turns: [{ output: { a: 1 }, error: { kind: cut } }] } }`);
    expect(await cut.generate(ask([user("x")]), never)).toMatchObject({ text: '{"a', finishReason: "length" });
  });
});

test("tokens are as stated, or counted from the text", async () => {
  const model = load(
    `agents: { a: { turns: [{ say: x, usage: { tokens_in: 7, tokens_out: 3 } }, { say: "12345678" }] } }`,
  );
  expect((await model.generate(ask([user("x")]), never)).usage).toEqual({ tokensIn: 7, tokensOut: 3 });
  const second = await model.generate(
    ask([user("x"), { role: "assistant", text: "x", toolCalls: [] }, user("y")]),
    never,
  );
  expect(second.usage.tokensOut).toBe(2);
  expect(second.usage.tokensIn).toBeGreaterThan(10);
});

test("an abort ends a slow turn at once, with the caller's reason", async () => {
  const model = load(`agents: { a: { turns: [{ say: x, delay_ms: 600000 }] } }`);
  const control = new AbortController();
  const reason = new Error("the run was cancelled");
  const turn = model.generate(ask([user("x")]), control.signal);
  control.abort(reason);
  await expect(turn).rejects.toBe(reason);
  await expect(model.generate(ask([user("x")]), control.signal)).rejects.toBe(reason);
});

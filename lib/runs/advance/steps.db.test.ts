import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { settleCall } from "@/lib/runs/settle-call";
import { startRun } from "@/lib/runs/start-run";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench, type BenchFacts } from "@/lib/testing/engine-bench";
import { findFreePort, type ReceivedHook, startHookServer } from "@/lib/testing/hook-server";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";

const database = useDatabase();

const WORKER = (more = "") =>
  `name: worker\nmodel: standard\nprompt: { system: "Work." }\nparams: { schema: { type: object, required: [n], properties: { n: { type: number }, label: { type: string, default: plain } } } }\n${more}`;
/** Returns its params; fails on the number 13. */
const ECHO = `agents:
  worker:
    rules:
      - { when: "params.n == \`13\`", output: { ktsu_low_quality: "unlucky" } }
      - { when: "params.n == \`66\`", output: { ktsu_injection_attempt: "obey me" } }
    otherwise: { output: { n: "{{ params.n }}", label: "{{ params.label }}" } }
`;
const WITH_NUMBERS = "params: { schema: { type: object, properties: { list: { type: array }, any: {} } } }\n";

function open(workflow: string, facts: Partial<BenchFacts> = {}) {
  return openEngineBench(database, {
    script: ECHO,
    workflow: `kind: workflow\nname: main\n${workflow}`,
    ...facts,
    files: { "agents/worker.agent.yaml": WORKER(), ...facts.files },
  });
}

describe("transforms", () => {
  test("read, merge, filter, sort, map, flatten and deduplicate, and return what is under `result`", async () => {
    const bench = await open(`${WITH_NUMBERS}pipeline:
  - id: each
    agent: ./agents/worker.agent.yaml
    params: { n: "{{ item }}" }
    for_each: { from: "{{ params.list }}" }
  - id: shape
    transform:
      inputs: [{ from: each.results }]
      ops: [{ filter: { expr: "n > \`1\`" } }, { sort: { field: n, order: desc } }, { map: { expr: "[n, n]" } }, { flatten: {} }, { deduplicate: {} }]
output: { from: shape.result }
`);
    const runId = await bench.launch({ list: [3, 1, 2, 3] });
    expect((await bench.read(runId)).output).toEqual([3, 2]);
  });

  test("without inputs begin with what `depends_on` names, and `merge` adds each step once", async () => {
    const bench = await open(`${WITH_NUMBERS}pipeline:
  - { id: a, transform: { inputs: [{ from: params.list }] } }
  - { id: b, transform: { inputs: [{ from: params.any }] } }
  - { id: implied, condition: "step.a", transform: { ops: [{ merge: [a, b] }] } }
  - { id: stated, depends_on: [a, b], transform: { ops: [{ merge: [a, b] }] } }
  - { id: begun, depends_on: [a, b], transform: {} }
output: { map: { implied: "{{ step.implied.result }}", stated: "{{ step.stated.result }}", begun: "{{ step.begun.result }}" } }
`);
    const joined = { result: [1, 2] };
    expect((await bench.read(await bench.launch({ list: [1], any: [2] }))).output).toEqual({
      implied: joined,
      stated: joined,
      begun: joined,
    });
  });

  test("an operation that gets no list fails the step and says why", async () => {
    const bench = await open(`pipeline:
  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }
  - { id: shape, transform: { inputs: [{ from: one.n }], ops: [{ sort: { field: n } }] } }
`);
    expect((await bench.read(await bench.launch())).error).toMatchObject({
      code: "transform_failed",
      step: "shape",
      message: expect.stringContaining("needs a list"),
    });
  });
});

describe("conditions and outputs", () => {
  test("a false condition skips the step and all that depend on it, and the run completes", async () => {
    const bench = await open(`pipeline:
  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }
  - { id: two, agent: ./agents/worker.agent.yaml, params: { n: 2 }, condition: "step.one.n > \`1\`" }
  - { id: three, agent: ./agents/worker.agent.yaml, params: { n: "{{ step.two.n }}" } }
  - { id: four, agent: ./agents/worker.agent.yaml, params: { n: 4 }, condition: "step.one.n == \`1\`" }
`);
    const run = await bench.read(await bench.launch());
    expect(run.status).toBe("complete");
    expect(run.output).toMatchObject({
      two: { skipped: true, reason: "condition_false" },
      three: { skipped: true, reason: "depends_on_skipped:two" },
      four: { n: 4 },
    });
    expect(run.turns).toHaveLength(2);
  });

  test("a condition that cannot be evaluated fails the step before it begins, and the run with it", async () => {
    const bench = await open(`pipeline:
  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }
  - { id: two, agent: ./agents/worker.agent.yaml, params: { n: 2 }, condition: "abs(step.one.label) > \`1\`" }
`);
    const run = await bench.read(await bench.launch());
    expect(run).toMatchObject({ status: "failed", error: { code: "condition_failed", step: "two" } });
    expect(run.steps.map(({ key, status }) => `${key} ${status}`)).toEqual(["one complete", "two failed"]);
    expect(run.turns).toHaveLength(1);
  });

  test("a workflow returns what `map` builds, checked against its schema", async () => {
    const workflow = (type: string) =>
      `pipeline:\n  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }\noutput: { map: { total: "{{ step.one.n }}", text: "is {{ step.one.n }}" }, schema: { type: object, properties: { total: { type: ${type} } } } }\n`;
    const fits = await open(workflow("number"));
    expect((await fits.read(await fits.launch())).output).toEqual({ total: 1, text: "is 1" });
    const violations = await open(workflow("string"));
    expect((await violations.read(await violations.launch())).error).toMatchObject({ code: "output_invalid" });
  });

  const OPTIONAL = (output: string) => `pipeline:
  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }
  - { id: two, agent: ./agents/worker.agent.yaml, params: { n: 2 }, condition: "step.one.n > \`1\`" }
output: ${output}
`;

  test("what an output reads of a skipped step is null", async () => {
    const mapped = await open(
      OPTIONAL(
        '{ map: { one: "{{ step.one.n }}", two: "{{ step.two.n }}", deep: "{{ step.two.a.b }}", whole: "{{ step.two }}" } }',
      ),
    );
    expect((await mapped.read(await mapped.launch())).output).toMatchObject({
      one: 1,
      two: null,
      deep: null,
      whole: { skipped: true },
    });
    const single = await open(OPTIONAL("{ from: two.n }"));
    expect(await single.read(await single.launch())).toMatchObject({ status: "complete", output: null });
  });

  test("an output that reads what is not there fails the run once, and says what is missing", async () => {
    const bench = await open(OPTIONAL('{ map: { total: "{{ step.one.nope }}" } }'));
    const run = await bench.read(await bench.launch());
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "template_failed", message: expect.stringContaining('total: "step.one.nope" has no value') },
    });
    expect(run.steps[0]).toMatchObject({ status: "complete" });
  });

  test("the output of a plain step is checked against the step's schema", async () => {
    const bench = await open(`pipeline:
  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }
  - { id: shape, transform: { inputs: [{ from: one }] }, output: { schema: { type: object, required: [other] } } }
`);
    const run = await bench.read(await bench.launch());
    expect(run.error).toMatchObject({ code: "output_invalid", step: "shape" });
    expect(run.steps[1]!.rawOutput).toMatchObject({ result: { n: 1 } });
  });

  test(
    verifies("promise:10", "params that do not fit are refused with all problems, and no run is created"),
    async () => {
      const bench = await open(
        `params: { schema: { type: object, required: [a], properties: { a: { type: string }, b: { type: number } } } }\npipeline:\n  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }\n`,
      );
      const before = await database.db.run.count();
      await expect(
        startRun(bench.deps, { workflow: "main", params: { b: "x" }, actor: TEST_ACTOR }),
      ).rejects.toMatchObject({ code: "invalid_request" });
      expect(await database.db.run.count()).toBe(before);
    },
  );

  test("params that do not fit an agent fail its step before the model is called; defaults are filled in", async () => {
    const bench = await open(
      `${WITH_NUMBERS}pipeline:\n  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: "{{ params.any }}" } }\n`,
    );
    const run = await bench.read(await bench.launch({ any: "many" }));
    expect(run.error).toMatchObject({ code: "invalid_request", message: expect.stringContaining("/n must be number") });
    expect(run.turns).toHaveLength(0);
    const fine = await open("pipeline:\n  - { id: one, agent: ./agents/worker.agent.yaml, params: { n: 1 } }\n");
    expect((await fine.read(await fine.launch())).output).toEqual({ one: { n: 1, label: "plain" } });
  });
});

describe("fan-out", () => {
  const fan = (fields: string, item = '{ n: "{{ item }}" }') =>
    `${WITH_NUMBERS}pipeline:\n  - { id: each, agent: ./agents/worker.agent.yaml, params: ${item}, for_each: { from: "{{ params.list }}", ${fields} } }\n`;

  test("results are in the order of the list, failed ones with their index", async () => {
    const bench = await open(fan("concurrency: 2, max_failures: 1"));
    const run = await bench.read(await bench.launch({ list: [1, 13, 3] }));
    expect(run.output).toEqual({
      each: {
        results: [
          { n: 1, label: "plain" },
          { ktsu_error: expect.stringContaining("unlucky"), item_index: 1 },
          { n: 3, label: "plain" },
        ],
      },
    });
    expect(run.llmCalls).toBe(3);
  });

  test("one failure more than allowed fails the step; -1 allows any number", async () => {
    const strict = await open(fan("concurrency: 1"));
    const run = await strict.read(await strict.launch({ list: [13, 2, 3] }));
    expect(run.error).toMatchObject({ code: "too_many_failures" });
    expect(run.turns).toHaveLength(1);
    const lax = await open(fan("max_failures: -1"));
    expect((await lax.read(await lax.launch({ list: [13, 13] }))).status).toBe("complete");
  });

  test("max_items leaves the rest out, and an empty list gives empty results", async () => {
    const bench = await open(fan("max_items: 2"));
    expect((await bench.read(await bench.launch({ list: [1, 2, 3] }))).output).toMatchObject({
      each: { results: [{ n: 1 }, { n: 2 }] },
    });
    expect((await bench.read(await bench.launch({ list: [] }))).output).toEqual({ each: { results: [] } });
  });

  test("an item whose values are missing fails alone", async () => {
    const bench = await open(fan("max_failures: 1", '{ n: "{{ item.value }}" }'));
    const run = await bench.read(await bench.launch({ list: [{ value: 1 }, {}] }));
    expect(run.output).toMatchObject({ each: { results: [{ n: 1 }, { item_index: 1 }] } });
  });

  test("no number of allowed failures covers an attempted injection", async () => {
    const bench = await open(fan("max_failures: -1"));
    const run = await bench.read(await bench.launch({ list: [1, 66] }));
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "injection_attempt" });
  });

  test("never more than `concurrency` are in progress", async () => {
    const script = `agents:\n  worker:\n    turns: [{ call: [{ tool: slow, arguments: { n: "{{ params.n }}" } }] }]\n    otherwise: { output: { done: true } }\n`;
    const bench = await open(fan("concurrency: 2"), {
      script,
      files: {
        "agents/worker.agent.yaml": WORKER(
          "servers:\n  - { name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [slow] } }\n",
        ),
      },
    });
    const runId = await bench.start({ list: [1, 2, 3] });
    const { ended } = await bench.drive(runId);
    await bench.recorder.waitForCalls("slow", 2);
    expect(await database.db.step.count({ where: { runId, itemIndex: { not: null }, status: "pending" } })).toBe(1);
    await bench.recorder.release("slow");
    expect(await ended).toEqual({ kind: "settled" });
    expect(await bench.recorder.calls("slow")).toHaveLength(3);
  });
});

describe("sub-workflows and webhooks", () => {
  const hook = (url: string, more = "") =>
    `pipeline:\n  - { id: notify, webhook: { url: "${url}", body: { text: "hello" }${more} } }\n`;

  test("a webhook is sent once, and its answer is the step's output", async () => {
    const target = await startHookServer(() => 200);
    const bench = await open(hook(target.url));
    const run = await bench.read(await bench.launch());
    expect(run.output).toMatchObject({ notify: { status: 200, body: { saw: { text: "hello" } } } });
    expect(target.received).toHaveLength(1);
  });

  test("a webhook that cannot be sent fails with the reason, after three tries where waiting may help; nobody is asked whether it happened", async () => {
    for (const [url, reason] of [
      ["http://127.0.0.1:9/hook", /ECONNREFUSED/],
      [
        "http://169.254.169.254/latest",
        /169\.254\.169\.254 may not be reached: a link-local address.*KIMITSU_ALLOW_HOSTS/,
      ],
      ["not an address", /its `url` is not an address that begins with https:\/\/ or http:\/\//],
      ["ftp://127.0.0.1/hook", /addresses are not requested; use https:\/\/ or http:\/\//],
    ] as const) {
      // A literal address in the file is refused when it is read.
      const bench = await open(`env: [{ name: HOOK_URL }]\n${hook("{{ env.HOOK_URL }}")}`, { env: { HOOK_URL: url } });
      const run = await bench.read(await bench.launch());
      expect(run.error).toMatchObject({ code: "webhook_unreachable", message: expect.stringMatching(reason) });
      expect(run.calls[0]).toMatchObject({ status: "failed" });
    }
  });

  test("a webhook with a secret in it is not sent to a public host over plain http; one that is only signed is exempt", async () => {
    const message = async (more: string) => {
      const bench = await open(`env: [{ name: HOOK_KEY, secret: true }]\n${hook("http://hooks.invalid/x", more)}`, {
        env: { HOOK_KEY: `whsec_${Buffer.from("sentinel-signing-key").toString("base64")}` },
      });
      return (await bench.read(await bench.launch())).error as { message: string };
    };
    expect((await message(', headers: { Authorization: "{{ env.HOOK_KEY }}" }')).message).toContain("over plain http");
    expect((await message(', secret: "{{ env.HOOK_KEY }}"')).message).not.toContain("over plain http");
  });

  test("a webhook whose connection fails at first is sent when it works", async () => {
    const port = await findFreePort();
    const bench = await open(hook(`http://127.0.0.1:${port}/hook`));
    const launched = bench.launch();
    const held = await until(
      () =>
        database.db.call.findMany({ where: { server: "kimitsu/webhook", status: "executing", runId: { not: "" } } }),
      { what: "the webhook under way", isDone: (calls) => calls.length > 0 },
    );
    const target = await startHookServer(() => 200, port);
    const run = await bench.read(await launched);
    expect(run).toMatchObject({ status: "complete", id: held[0]!.runId });
    expect(target.received).toHaveLength(1);
  });

  test("a signed webhook can be verified with third-party libraries, and its key is stored nowhere", async () => {
    const secret = `whsec_${Buffer.from("sentinel-signing-key").toString("base64")}`;
    const target = await startHookServer();
    const bench = await open(
      `env: [{ name: HOOK_KEY, secret: true }]\n${hook(target.url, ', secret: "{{ env.HOOK_KEY }}"')}`,
      { env: { HOOK_KEY: secret } },
    );
    const run = await bench.read(await bench.launch());
    const [{ body, headers }] = target.received as [ReceivedHook];
    const signedAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
    expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign(run.calls[0]!.id, signedAt, body));
    expect(signedAt).toEqual(bench.clock.now());
    expect(headers["webhook-id"]).toBe(run.calls[0]!.id);
    expect(JSON.stringify(run)).not.toContain(secret.slice(6));
  });

  test("an answer of refusal fails the step, and no answer leaves it to a person; neither is retried", async () => {
    const refuses = await startHookServer(() => 403);
    const one = await open(hook(refuses.url));
    expect((await one.read(await one.launch())).error).toMatchObject({
      code: "webhook_refused",
      message: "The webhook answered 403.",
    });
    expect(refuses.received).toHaveLength(1);
    const silent = await startHookServer(() => "hang-up");
    const two = await open(hook(silent.url));
    const runId = await two.launch();
    const run = await two.read(runId);
    expect(run.status).toBe("needs_human_review");
    expect(silent.received).toHaveLength(1);
    await settleCall(two.deps, TEST_ACTOR, { callId: run.calls[0]!.id, outcome: "happened", result: { seen: true } });
    expect(await two.advance(runId)).toEqual({ kind: "settled" });
    expect((await two.read(runId)).steps[0]!.output).toEqual({ status: null, body: { seen: true } });
    expect(silent.received).toHaveLength(1);
  });

  test.each([
    ["in JSON", String.raw`{"a\u0000":"\ud800"}`, { "a\uFFFD": "\uFFFD" }],
    ["in text", "a\0b", "a\uFFFDb"],
    ["nested without end", "[".repeat(30_000) + "]".repeat(30_000), expect.stringMatching(/^\[+\]+$/)],
  ])("an answer %s that no database holds is kept without it, and the step ends", async (_what, text, body) => {
    const target = await startHookServer(() => ({ status: 200, headers: {}, text }));
    const bench = await open(hook(target.url));
    const run = await bench.read(await bench.launch());
    expect(run).toMatchObject({ status: "complete", steps: [{ output: { status: 200, body } }] });
    expect(target.received).toHaveLength(1);
  });

  test(verifies("promise:2", "a webhook whose worker died after the commit is not sent a second time"), async () => {
    const target = await startHookServer(() => 200);
    const bench = await open(hook(target.url));
    const runId = await bench.start();
    onTestFinished(releaseAll);
    const held = holdAt("webhook:after-call");
    const { ended } = await bench.drive(runId);
    await held.reached();
    bench.clock.advance(60_000);
    await bench.advance(runId);
    held.release();
    expect(await ended).toEqual({ kind: "lost" });
    expect((await bench.read(runId)).calls[0]!.status).toBe("outcome_unknown");
    expect(target.received).toHaveLength(1);
  });

  test("a sub-workflow's webhook is sent only when both sides say so", async () => {
    for (const [parent, child, sent] of [
      ["execute", "execute", 1],
      ["execute", "suppress", 0],
      ["suppress", "execute", 0],
    ] as const) {
      const target = await startHookServer(() => 200);
      const bench = await open(
        `pipeline:\n  - { id: child, workflow: ./workflows/sub/child.workflow.yaml, webhooks: ${parent} }\n`,
        {
          files: {
            "workflows/sub/child.workflow.yaml": `kind: workflow\nname: child\nvisibility: sub-workflow\nwebhooks: ${child}\n${hook(target.url)}`,
          },
        },
      );
      expect((await bench.read(await bench.launch())).status).toBe("complete");
      expect(target.received).toHaveLength(sent);
    }
  });

  test("a secret goes through a sub-workflow's params to the webhook, and its params are checked against its schema", async () => {
    const target = await startHookServer(() => 200);
    const files = {
      "workflows/sub/child.workflow.yaml": `kind: workflow\nname: child\nvisibility: sub-workflow\nwebhooks: execute\nparams: { schema: { type: object, required: [key], properties: { key: { type: string, secret: true }, n: { type: number, default: 4 } } } }\npipeline:\n  - { id: notify, webhook: { url: "${target.url}", headers: { Authorization: "{{ params.key }}" }, body: { n: "{{ params.n }}" } } }\n`,
    };
    const parent = (n: string) =>
      `env: [{ name: HOOK_KEY, secret: true }]\n${WITH_NUMBERS}pipeline:\n  - { id: child, workflow: ./workflows/sub/child.workflow.yaml, webhooks: execute, input: { key: "{{ env.HOOK_KEY }}"${n} } }\n`;
    const bench = await open(parent(""), { files, env: { HOOK_KEY: "sentinel-hook-key" } });
    const run = await bench.read(await bench.launch({ list: [] }));
    expect(run.status).toBe("complete");
    expect(target.received[0]!.headers.authorization).toBe("sentinel-hook-key");
    expect(JSON.stringify(run)).not.toContain("sentinel-hook-key");
    expect(JSON.parse(target.received[0]!.body)).toEqual({ n: 4 });
    const wrong = await open(parent(', n: "{{ params.any }}"'), { files, env: { HOOK_KEY: "sentinel-hook-key" } });
    expect((await wrong.read(await wrong.launch({ any: "many" }))).error).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("/n must be number"),
    });
  });
});

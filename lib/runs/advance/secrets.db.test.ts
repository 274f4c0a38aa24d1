import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { type TestDatabase, useDatabase } from "@/lib/testing/database";
import { dumpDatabase } from "@/lib/testing/dump-database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { HARMLESS_TOOL, pour, startHostileServer } from "@/lib/testing/hostile-servers/hostile-server";

const database = useDatabase();

const SECRETS = { SVC_TOKEN: "sentinel-token-5f1c9", HOOK_KEY: "sentinel-hook-77ab2" };
const PARAM = "sentinel-param-3d90e";
const ALL = [...Object.values(SECRETS), PARAM];

const dump = async ({ db }: TestDatabase): Promise<string> => Object.values(await dumpDatabase(db)).join("\n");

async function echoingHook(): Promise<string> {
  return openHook((request, response) => {
    let body = "";
    request
      .on("data", (chunk: Buffer) => (body += chunk.toString()))
      .on("end", () => response.end(JSON.stringify({ headers: request.headers, url: request.url, body })));
  });
}

async function openHook(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(
  verifies("promise:6", "secrets that a tool server, a webhook or a model returns are in no row of any table"),
  async () => {
    const hook = await echoingHook();
    const script = `agents:
  worker:
    turns:
      - call: [{ tool: echo-headers, arguments: {} }, { tool: fail-protocol, arguments: {} }]
      - call: [{ tool: t-none, arguments: { text: "the key is ${SECRETS.SVC_TOKEN}" } }]
      - call: [{ tool: "no-${SECRETS.SVC_TOKEN}", unlisted: true, arguments: {} }]
      - call: [{ tool: t-none, arguments: { note: plain } }]
    otherwise: { output: { told: "{{ results.echo-headers }}" } }
`;
    const files = {
      "agents/worker.agent.yaml": `name: worker
model: standard
prompt: { system: "Work.", user: "Go." }
params: { schema: { type: object, properties: { token: { type: string, secret: true }, extra: { type: string, secret: true } } } }
servers:
  - { name: recorder, path: servers/recorder.server.yaml, params: { token: "{{ params.token }}", extra: "{{ params.extra }}" }, access: { allowlist: [echo-headers, fail-protocol, { name: t-none, require_approval: { on_reject: recover } }] } }
`,
      "workflows/main.workflow.yaml": `kind: workflow
name: main
env: [{ name: SVC_TOKEN, secret: true }, { name: HOOK_KEY, secret: true }]
params: { schema: { type: object, required: [pin], properties: { pin: { type: string, secret: true } } } }
pipeline:
  - { id: work, agent: ./agents/worker.agent.yaml, params: { token: "{{ env.SVC_TOKEN }}", extra: "{{ params.pin }}" } }
  - { id: notify, depends_on: [work], webhook: { url: "${hook}/{{ env.HOOK_KEY }}", headers: { X-Pin: "{{ params.pin }}" }, body: { key: "{{ env.HOOK_KEY }}", told: "{{ step.work.told }}" } } }
`,
    };
    const server =
      'auth: { header: X-Api-Key, scheme: raw, secret: "{{ params.token }}" }\nparams: { token: { secret: true }, extra: { secret: true } }\n';
    const bench = await openEngineBench(database, { script, files, server, env: SECRETS });
    const runId = await bench.launch({ pin: PARAM });
    const [approval] = await bench.pending(runId);
    await expect(bench.decide(approval!, "approved", { arguments: { note: SECRETS.SVC_TOKEN } })).rejects.toThrow(
      /value of the secret SVC_TOKEN/,
    );
    await bench.decide(approval!, "approved");
    await bench.advance(runId);
    const run = await bench.read(runId);
    expect(run.status).toBe("complete");
    // The server really was given it: otherwise nothing could have leaked.
    expect((await bench.recorder.calls("echo-headers"))[0]!.headers["x-api-key"]).toBe(SECRETS.SVC_TOKEN);
    expect(
      run.calls.find((call) => (call.error as { code: string } | null)?.code === "secret_in_arguments")?.status,
    ).toBe("denied");
    expect(run.calls.map(({ tool }) => tool)).toContain("no-[secret]");
    const rows = await dump(database);
    for (const secret of ALL) {
      expect(rows.includes(secret), secret).toBe(false);
      expect(rows.includes(Buffer.from(secret).toString("base64").slice(0, -4)), `${secret} in base64`).toBe(false);
      expect(rows.includes(Buffer.from(secret).toString("hex")), `${secret} in bytes`).toBe(false);
    }
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
  },
);

const FILES_AGENT = `name: worker
model: standard
prompt: { system: "Work.", user: "Go." }
servers:
  - { name: files, path: servers/recorder.server.yaml, access: { allowlist: [{ name: act, require_approval: { on_reject: recover } }] } }
`;
const ACT =
  'agents:\n  worker:\n    turns:\n      - call: [{ tool: act, arguments: {} }]\n    otherwise: { output: { told: "{{ results.act }}" } }\n';
const GATEWAY = `env: [{ name: PROVIDER_KEY, secret: true }]
providers: [{ name: test, type: scripted, config: { script: models/test.script.yaml } }, { name: paid, type: openai, config: { api_key: "{{ env.PROVIDER_KEY }}" } }]
model_groups: [{ name: standard, models: [test/m] }]
`;
/** What a file tool could find on the machine and was never given. */
const AROUND = {
  OTHER_TOKEN: "sentinel-other-91c2e7",
  PROVIDER_KEY: "sentinel-provider-4ab0",
  AUTH_SECRET: "sentinel-auth-secret-of-this-process-77",
  DATABASE_URL: "postgres://app:sentinel%2Bdb%2Fpass@db/kimitsu",
};
const FOUND = [
  AROUND.OTHER_TOKEN,
  AROUND.PROVIDER_KEY,
  AROUND.AUTH_SECRET,
  "sentinel+db/pass",
  "sentinel-literal-0d2f",
];

async function benchAround(url: string) {
  const files = {
    "gateway.yaml": GATEWAY,
    "agents/worker.agent.yaml": FILES_AGENT,
    "servers/recorder.server.yaml": `name: files-${Math.random().toString(36).slice(2)}\nurl: "${url}"\n`,
    "servers/other.server.yaml":
      'name: other\nurl: "https://other.example/mcp"\nauth: { secret: "`sentinel-literal-0d2f`" }\n',
    "agents/other.agent.yaml":
      'name: other\nmodel: standard\nprompt: { system: "Rest." }\nservers: [{ name: other, path: servers/other.server.yaml }]\n',
    "workflows/second.workflow.yaml":
      "kind: workflow\nname: second\nenv: [{ name: OTHER_TOKEN, secret: true }]\npipeline: [{ id: rest, agent: ./agents/other.agent.yaml }]\n",
    "workflows/main.workflow.yaml":
      "kind: workflow\nname: main\nparams: { schema: { type: object, properties: { note: { type: string } } } }\npipeline: [{ id: work, agent: ./agents/worker.agent.yaml }]\n",
  };
  return openEngineBench(database, { script: ACT, files, env: AROUND });
}

test(
  verifies("promise:6", "secrets that a tool was never given, and read somewhere, are in no row either"),
  async () => {
    const split = FOUND.map((secret) => `${secret.slice(0, 9)}\u0001${secret.slice(9)}`);
    const server = await startHostileServer({
      "tools/call": ({ reply }) =>
        reply({
          content: [
            { type: "text", text: FOUND.join("\n") },
            { type: "text", text: split.join(" ") },
          ],
          structuredContent: { env: AROUND },
        }),
    });
    onTestFinished(() => server.close());
    const bench = await benchAround(server.url);
    const runId = await bench.launch();
    await bench.decide((await bench.pending(runId))[0]!, "approved");
    await bench.advance(runId);
    expect((await bench.read(runId)).status).toBe("complete");
    expect(server.seen).toContain("tools/call");
    const rows = await dump(database);
    for (const secret of FOUND) expect(rows.includes(secret), secret).toBe(false);
  },
);

test(
  verifies(
    "promise:6",
    "a run's own secret param is in no row either, whoever returns it: a server or a webhook that never got it, or a model",
  ),
  async () => {
    const pin = "sentinel-pin-6e2b0";
    const server = await startHostileServer({
      "tools/call": ({ reply }) =>
        reply({
          content: [{ type: "text", text: `it is ${pin}` }],
          structuredContent: { pin: Buffer.from(pin).toString("base64") },
        }),
    });
    onTestFinished(() => server.close());
    const hook = await openHook((_request, response) => void response.end(JSON.stringify({ note: `it is ${pin}` })));
    const script = `agents:
  worker:
    turns:
      - { say: "I know ${pin}", call: [{ tool: act, arguments: {} }, { tool: nowhere, arguments: { note: "${pin}" }, unlisted: true }] }
    otherwise: { output: { told: "{{ results.act }}", said: "${pin}" } }
`;
    const files = {
      "agents/worker.agent.yaml": FILES_AGENT.replace("{ name: act, require_approval: { on_reject: recover } }", "act"),
      "servers/recorder.server.yaml": `name: files-${Math.random().toString(36).slice(2)}\nurl: "${server.url}"\n`,
      "workflows/main.workflow.yaml": `kind: workflow\nname: main\nparams: { schema: { type: object, required: [pin], properties: { pin: { type: string, secret: true } } } }\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\n  - { id: notify, depends_on: [work], webhook: { url: "${hook}", body: { told: "{{ step.work.told }}" } } }\n`,
    };
    const bench = await openEngineBench(database, { script, files });
    const run = await bench.read(await bench.launch({ pin }));
    expect(run.status).toBe("complete");
    expect(run.calls.map(({ tool, status }) => [tool, status])).toEqual([
      ["act", "succeeded"],
      ["nowhere", "denied"],
      ["POST", "succeeded"],
    ]);
    expect(run.calls[0]!.result).toMatchObject({ output: "it is [secret]" });
    const rows = await dump(database);
    for (const spelling of [pin, Buffer.from(pin).toString("base64")])
      expect(rows.includes(spelling), spelling).toBe(false);
  },
);

test(
  verifies(
    "promise:6",
    "a secret that a person types into a param, a reason or a comment is refused, and nothing is done",
  ),
  async () => {
    const server = await startHostileServer({});
    onTestFinished(() => server.close());
    const bench = await benchAround(server.url);
    const typed = `try ${AROUND.OTHER_TOKEN} please`;
    await expect(bench.start({ note: typed })).rejects.toThrow(/holds the value of the secret OTHER_TOKEN/);
    const runId = await bench.launch({ note: "plain" });
    const [approval] = await bench.pending(runId);
    await expect(bench.decide(approval!, "rejected", { reason: typed })).rejects.toThrow(
      /The reason holds the value of the secret OTHER_TOKEN/,
    );
    await expect(
      bench.decide(approval!, "approved", { comment: Buffer.from(typed).toString("base64") }),
    ).rejects.toThrow(/The comment holds/);
    expect(await bench.pending(runId)).toHaveLength(1);
    expect((await dump(database)).includes(AROUND.OTHER_TOKEN)).toBe(false);
  },
);

test(
  verifies(
    "inbox:hidden",
    "what a card hides by its name appears neither in the agent's text nor in the tool's result",
  ),
  async () => {
    const value = "paper-kite-hunter2";
    const tool = {
      ...HARMLESS_TOOL,
      inputSchema: { type: "object", properties: { pin: { type: "string", writeOnly: true } } },
    };
    const server = await startHostileServer({
      "tools/list": ({ reply }) => reply({ tools: [tool] }),
      "tools/call": ({ reply }) => reply({ content: [{ type: "text", text: `set to ${value}, pin marked-4711` }] }),
    });
    onTestFinished(() => server.close());
    const files = {
      "agents/worker.agent.yaml": FILES_AGENT,
      "servers/recorder.server.yaml": `name: files\nurl: "${server.url}"\n`,
    };
    const script = `agents:\n  worker:\n    turns:\n      - say: "I set ${value} now, pin marked-4711"\n        call: [{ tool: act, arguments: { user: ana, password: ${value}, pin: marked-4711 } }]\n    otherwise: { output: { told: "{{ results.act }}" } }\n`;
    const bench = await openEngineBench(database, { script, files });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    await bench.decide(approval!, "approved");
    await bench.advance(runId);
    const { calls, turns, output } = await bench.read(runId);
    const [call] = calls;
    expect(call!.argumentsCanonical).toContain(value);
    const shown = JSON.stringify([
      call!.arguments,
      call!.agentSays,
      call!.summary,
      call!.result,
      output,
      turns.map(({ response }) => (response as { text: string }).text),
    ]);
    expect(shown).toContain("I set [secret] now, pin [secret]");
    expect(shown).toMatch(/set to \[secret fp\d+\], pin \[secret fp\d+\]/);
    for (const hidden of [value, "marked-4711"]) expect(shown).not.toContain(hidden);
  },
);

test("an endless answer of a webhook is read only as far as it is stored, and a secret across the cut is not stored in part", async () => {
  const secret = SECRETS.HOOK_KEY;
  let sent = 0;
  const hook = await openHook((_request, response) => {
    response.write("x".repeat(64_000 - 10) + secret);
    void pour(response, "y".repeat(64 * 1024), 200 * 1024 * 1024).then((bytes) => (sent = bytes));
  });
  const files = {
    "workflows/main.workflow.yaml": `kind: workflow\nname: main\nenv: [{ name: HOOK_KEY, secret: true }]\npipeline:\n  - { id: notify, webhook: { url: "${hook}", headers: { X-Key: "{{ env.HOOK_KEY }}" } } }\n`,
  };
  const bench = await openEngineBench(database, { script: "agents: {}\n", files, env: SECRETS });
  const run = await bench.read(await bench.launch());
  expect(run.status).toBe("complete");
  expect(JSON.stringify(run.calls[0]!.result)).not.toContain(secret.slice(0, 8));
  await expect.poll(() => sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(50 * 1024 * 1024);
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/engine/verify-audit";
import { type TestDatabase, useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();

const SECRETS = { SVC_TOKEN: "sentinel-token-5f1c9", HOOK_KEY: "sentinel-hook-77ab2" };
const PARAM = "sentinel-param-3d90e";
const ALL = [...Object.values(SECRETS), PARAM];

/** Every row of every table as text; what is encrypted is there as bytes. */
async function dump({ db }: TestDatabase): Promise<string> {
  const tables = await db.$queryRaw<{ name: string }[]>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`;
  const texts = await Promise.all(tables.map(({ name }) => db.$queryRawUnsafe<{ text: string | null }[]>(`SELECT string_agg(t::text, E'\\n') AS text FROM "${name}" AS t`)));
  return texts.map(([row]) => row?.text ?? "").join("\n");
}

async function echoingHook(): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString())).on("end", () => response.end(JSON.stringify({ headers: request.headers, url: request.url, body })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(verifies("promise:6", "secrets that a tool server, a webhook or a model gives back stand in no row of any table"), async () => {
  const hook = await echoingHook();
  const script = `agents:
  worker:
    turns:
      - call: [{ tool: echo-headers, arguments: {} }, { tool: fail-protocol, arguments: {} }]
      - call: [{ tool: t-none, arguments: { text: "the key is ${SECRETS.SVC_TOKEN}" } }]
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
  const server = 'auth: { header: X-Api-Key, scheme: raw, secret: "{{ params.token }}" }\nparams: { token: { secret: true }, extra: { secret: true } }\n';
  const bench = await openEngineBench(database, { script, files, server, env: SECRETS });
  const runId = await bench.launch({ pin: PARAM });
  const [approval] = await bench.pending(runId);
  await expect(bench.decide(approval!, "approved", { arguments: { note: SECRETS.SVC_TOKEN } })).rejects.toThrow(/value of the secret SVC_TOKEN/);
  await bench.decide(approval!, "approved");
  await bench.advance(runId);
  const run = await bench.read(runId);
  expect(run.status).toBe("complete");
  // The server really was given it: otherwise nothing could have leaked.
  expect((await bench.recorder.calls("echo-headers"))[0]!.headers["x-api-key"]).toBe(SECRETS.SVC_TOKEN);
  expect(run.calls.find((call) => (call.error as { code: string } | null)?.code === "secret_in_arguments")?.status).toBe("denied");
  const rows = await dump(database);
  for (const secret of ALL) {
    expect(rows.includes(secret), secret).toBe(false);
    expect(rows.includes(Buffer.from(secret).toString("base64").slice(0, -4)), `${secret} in base64`).toBe(false);
    expect(rows.includes(Buffer.from(secret).toString("hex")), `${secret} in bytes`).toBe(false);
  }
  expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
});

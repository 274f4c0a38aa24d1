import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { lookAtServers } from "@/lib/tools/registry/look-at-servers";
import { useDatabase } from "@/lib/testing/database";
import { type EngineBench, openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const SCRIPT =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { note: plain } }]\n    otherwise: { output: { done: true } }\n";
const ENV = { SVC_TOKEN: "sentinel-token", SVC_PIN: "sentinel-pin" };
const FILES = {
  "agents/worker.agent.yaml": `name: worker
model: standard
prompt: { system: "Work.", user: "Go." }
params: { schema: { type: object, properties: { token: { type: string, secret: true }, pin: { type: string, secret: true } } } }
servers:
  - { name: recorder, path: servers/recorder.server.yaml, params: { token: "{{ params.token }}", pin: "{{ params.pin }}" }, access: { allowlist: [{ name: t-none, require_approval: {} }] } }
`,
  "workflows/main.workflow.yaml": `kind: workflow
name: main
env: [{ name: SVC_TOKEN, secret: true }, { name: SVC_PIN, secret: true }]
pipeline: [{ id: work, agent: ./agents/worker.agent.yaml, params: { token: "{{ env.SVC_TOKEN }}", pin: "{{ env.SVC_PIN }}" } }]
`,
};
const SERVER =
  'auth: { header: X-Api-Key, scheme: raw, secret: "{{ params.token }}" }\nparams: { token: { secret: true }, pin: { secret: true }, region: { default: eu } }\n';

const open = (more: string): Promise<EngineBench> =>
  openEngineBench(database, { script: SCRIPT, files: FILES, server: `${SERVER}${more}`, env: ENV });

/** Everything that reached the server, by whether it contained a secret. */
async function sentTo({ recorder }: EngineBench) {
  const all = await recorder.received();
  const holds = (entry: unknown) => /sentinel-(token|pin)/.test(JSON.stringify(entry));
  return { all: all.map(({ method }) => method), withSecret: all.filter(holds).map(({ method }) => method) };
}

async function runToApproval(bench: EngineBench) {
  await lookAtServers(bench.deps, { isStart: true, signal: new AbortController().signal });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  return { runId, approval: approval! };
}

test(
  verifies(
    "servers:list-auth",
    "a server that lists without its credential gets it with the approved call, and in no request before",
  ),
  async () => {
    const bench = await open("list_auth: none\n");
    const { runId, approval } = await runToApproval(bench);
    const before = await sentTo(bench);
    expect(before.all).toEqual(expect.arrayContaining(["initialize", "tools/list"]));
    expect(before.withSecret).toEqual([]);
    expect(JSON.stringify(await bench.recorder.received())).toContain('"region":"eu"');

    await bench.recorder.reset();
    await bench.decide(approval, "approved");
    await bench.advance(runId);
    expect((await bench.read(runId)).status).toBe("complete");
    const [call] = await bench.recorder.calls("t-none");
    expect(call!.headers["x-api-key"]).toBe(ENV.SVC_TOKEN);
    expect(call!.meta).toMatchObject({ "dev.kimitsu/params": { pin: ENV.SVC_PIN, region: "eu" } });
    const after = await bench.recorder.received();
    // The call has its own session, and the definition it is checked against was read without the credential.
    const session = after.find(
      ({ method, headers }) => method === "initialize" && headers["x-api-key"] === ENV.SVC_TOKEN,
    );
    expect(session).toBeDefined();
    expect(after.filter(({ method, headers }) => method === "tools/list" && "x-api-key" in headers)).toEqual([]);
    expect(after.filter(({ method }) => method === "tools/list").map((entry) => entry.session)).not.toContain(
      call!.session,
    );
  },
);

test("a server without `list_auth` gets it from the start, as SECURITY.md says", async () => {
  const bench = await open("");
  await runToApproval(bench);
  expect((await sentTo(bench)).withSecret).toEqual(expect.arrayContaining(["initialize", "tools/list"]));
});

test("a rejected call means that the server never gets it", async () => {
  const bench = await open("list_auth: none\n");
  const { runId, approval } = await runToApproval(bench);
  await bench.decide(approval, "rejected", { reason: "no" });
  await bench.advance(runId);
  expect((await sentTo(bench)).withSecret).toEqual([]);
});

test("a definition that changed since it was approved is found without the credential, and nothing is sent", async () => {
  const bench = await open("list_auth: none\n");
  const { runId, approval } = await runToApproval(bench);
  await bench.recorder.change({ name: "t-none", description: "Another one." });
  await bench.decide(approval, "approved");
  await bench.advance(runId);
  expect(await bench.recorder.calls("t-none")).toEqual([]);
  expect((await sentTo(bench)).withSecret).toEqual([]);
});

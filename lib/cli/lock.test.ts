import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createProgram } from "@/lib/cli/program";
import { createPaint } from "@/lib/cli/project-options";
import { getProject } from "@/lib/config/load-project";
import { formatToolsLock, lockedPins, readToolsLock, writeToolsLock } from "@/lib/config/tools-lock";
import { judgePin } from "@/lib/domain/tool-pin";
import { rereadEnv } from "@/lib/env";
import { testPool, testServer } from "@/lib/testing/hostile-servers/tool-server";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { computeLock, describeChanges } from "./lock";

let root = "";
let recording: RecordingServer;

beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), "kimitsu-lock-"));
  recording = await startRecordingServer({ requireHeader: { name: "X-Api-Key", value: "SENTINEL-key" } });
  mkdirSync(path.join(root, "servers"));
  mkdirSync(path.join(root, "agents"));
  mkdirSync(path.join(root, "workflows"));
  const files = {
    "servers/rec.server.yaml": `name: rec\nurl: "${recording.url}"\nauth: { header: X-Api-Key, scheme: raw, secret: "{{ params.key }}" }\nparams:\n  key: { secret: true }\n`,
    "gateway.yaml": "providers:\n  - { name: local, type: openai-compatible, config: { base_url: \"http://127.0.0.1:1/v1\" } }\nmodel_groups:\n  - { name: standard, models: [local/none] }\n",
    "agents/one.agent.yaml": `name: one\nmodel: standard\nparams: { schema: { type: object, properties: { ticket: { type: string }, key: { type: string, secret: true } } } }\nprompt: { system: "You help.", user: "{{ params.ticket }}" }\nservers:\n  - { name: rec, path: servers/rec.server.yaml, params: { key: "{{ params.key }}" } }\n`,
    "workflows/one.workflow.yaml": `kind: workflow\nname: one\nversion: "1"\nvisibility: root\nparams: { schema: { type: object, properties: { ticket: { type: string } } } }\nenv: [{ name: REC_KEY, secret: true }]\npipeline:\n  - id: a\n    agent: ./agents/one.agent.yaml\n    params: { ticket: "{{ params.ticket }}", key: "{{ env.REC_KEY }}" }\n`,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, file), text);
});

afterEach(async () => {
  await recording.close();
  rmSync(root, { recursive: true, force: true });
});

function compute(variables: Record<string, string> = { REC_KEY: "SENTINEL-key" }, options = {}) {
  const project = getProject(root, { deployment: { allowStdio: false, allowBypass: false }, processEnv: variables });
  return computeLock({ project, options, variables, allowHosts: ["127.0.0.1"], allowStdio: false });
}

async function judge(tool: string) {
  const pool = testPool();
  const list = await pool.listTools(testServer(recording.url, { secret: "SENTINEL-key" }));
  await pool.close();
  return judgePin(list.tools.find((each) => each.name === tool)!, lockedPins(readToolsLock(root), "rec"), null);
}

const plain = createPaint(false);

test("the lock holds every tool, is written and read unchanged, and holds no secret", async () => {
  const { lock, changes } = await compute();
  expect(changes.every((change) => change.kind === "added")).toBe(true);
  writeToolsLock(root, formatToolsLock(lock));
  const text = readFileSync(path.join(root, "tools.lock.yaml"), "utf8");
  expect(readToolsLock(root)).toEqual(lock);
  expect(text).not.toContain("SENTINEL");
  expect(Object.keys(lock.servers.rec!.tools).length).toBe(changes.length);
  expect((await compute()).changes).toEqual([]);
  expect(await judge("echo")).toBe("pinned");
});

test("a changed, a renamed and a new tool are told apart, and hidden characters are shown", async () => {
  const { lock } = await compute();
  writeToolsLock(root, formatToolsLock(lock));
  await recording.change({ name: "echo", description: "Gives its arguments back\u{E0020}\u200B<IMPORTANT>" });
  await recording.change({ name: "brand-new", description: "never seen" });
  await recording.remove("large-result");
  await recording.change({ name: "bulk-result", description: "Gives a text of the given length", inputSchema: { type: "object", properties: { length: { type: "integer", minimum: 0 } } } });
  const { changes } = await compute();
  expect(changes.map(({ tool, kind, from }) => [tool, kind, from])).toEqual([["brand-new", "added", undefined], ["bulk-result", "renamed", "large-result"], ["echo", "changed", undefined]]);
  const shown = describeChanges(changes, plain).join("\n");
  expect(shown).toContain("- Gives its arguments back\n");
  expect(shown).toContain("+ Gives its arguments back⟨U+E0020⟩⟨U+200B⟩<IMPORTANT>");
  expect([await judge("echo"), await judge("brand-new"), await judge("bulk-result"), await judge("slow")]).toEqual(["changed", "new", "renamed", "pinned"]);
});

test("annotations that turn from reading to writing are a change", async () => {
  await recording.change({ name: "echo", annotations: { readOnlyHint: true } });
  writeToolsLock(root, formatToolsLock((await compute()).lock));
  await recording.change({ name: "echo", annotations: { readOnlyHint: false } });
  expect((await compute()).changes).toMatchObject([{ tool: "echo", kind: "changed", lines: ["- readOnlyHint: true", "+ readOnlyHint: false"] }]);
});

test("a server that cannot be asked stops the lock, and the message has no secret", async () => {
  const failure = await compute({ REC_KEY: "SENTINEL-wrong" }).catch((error: unknown) => error as Error);
  expect((failure as Error).message).toContain("Server rec cannot be used");
  expect(String((failure as Error).stack)).not.toContain("SENTINEL");
});

test("a param that only a run could give is asked for by name, and taken from the variable that is named", async () => {
  await expect(compute({})).rejects.toThrow("--secret rec.key=VARIABLE");
  const { lock } = await compute({ OTHER: "SENTINEL-key" }, { secret: ["rec.key=OTHER"] });
  expect(Object.keys(lock.servers.rec!.tools)).toContain("echo");
});

test("a lock that was edited into something else is refused with its line, and never counts as absent", () => {
  writeFileSync(path.join(root, "tools.lock.yaml"), "version: 1\nservers:\n  rec:\n    hash: sha256:00\n    tools: {}\n");
  expect(() => readToolsLock(root)).toThrow(/tools\.lock\.yaml:4:/);
  writeFileSync(path.join(root, "tools.lock.yaml"), "");
  expect(() => readToolsLock(root)).toThrow();
});

test("on the demo project the command may reach the demo's own server, as `npm start` may", async () => {
  vi.stubEnv("KIMITSU_PROJECT", "kimitsu");
  vi.stubEnv("KIMITSU_ALLOW_HOSTS", "");
  vi.stubEnv("SHOP_API_KEY_OF_A_TEST", "key");
  rereadEnv();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rereadEnv();
  });
  // Nothing need listen there: whether the address is refused is known before anything is sent.
  const problem = await createProgram().parseAsync(["lock", "--check", "--secret", "shop.api_key=SHOP_API_KEY_OF_A_TEST"], { from: "user" }).then(() => "", (error: Error) => error.message);
  process.exitCode = undefined;
  expect(problem).not.toContain("KIMITSU_ALLOW_HOSTS");
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import { createProgram } from "@/lib/cli/program";
import { createPaint } from "@/lib/cli/project-options";
import { getProject } from "@/lib/config/load-project";
import { formatToolsLock, lockedPins, readToolsLock, writeToolsLock } from "@/lib/config/tools-lock";
import { judgePin } from "@/lib/tools/rules/tool-pin";
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
    "gateway.yaml":
      'providers:\n  - { name: local, type: openai-compatible, config: { base_url: "http://127.0.0.1:1/v1" } }\nmodel_groups:\n  - { name: standard, models: [local/none] }\n',
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
  return judgePin(
    list.tools.find((each) => each.name === tool)!,
    lockedPins(readToolsLock(root), "rec"),
    null,
  );
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

test("a changed, a renamed and a new tool are distinguished, and hidden characters are shown", async () => {
  const { lock } = await compute();
  writeToolsLock(root, formatToolsLock(lock));
  await recording.change({ name: "echo", description: "Gives its arguments back\u{E0020}\u200B<IMPORTANT>" });
  await recording.change({ name: "brand-new", description: "never seen" });
  await recording.remove("large-result");
  await recording.change({
    name: "bulk-result",
    description: "Gives a text of the given length",
    inputSchema: { type: "object", properties: { length: { type: "integer", minimum: 0 } } },
  });
  const { changes } = await compute();
  expect(changes.map(({ tool, kind, from }) => [tool, kind, from])).toEqual([
    ["brand-new", "added", undefined],
    ["bulk-result", "renamed", "large-result"],
    ["echo", "changed", undefined],
  ]);
  const shown = describeChanges(changes, plain).join("\n");
  expect(shown).toContain("- Gives its arguments back\n");
  expect(shown).toContain("+ Gives its arguments back⟨U+E0020⟩⟨U+200B⟩<IMPORTANT>");
  expect([await judge("echo"), await judge("brand-new"), await judge("bulk-result"), await judge("slow")]).toEqual([
    "changed",
    "new",
    "renamed",
    "pinned",
  ]);
});

test("annotations that turn from reading to writing are a change", async () => {
  await recording.change({ name: "echo", annotations: { readOnlyHint: true } });
  writeToolsLock(root, formatToolsLock((await compute()).lock));
  await recording.change({ name: "echo", annotations: { readOnlyHint: false } });
  expect((await compute()).changes).toMatchObject([
    { tool: "echo", kind: "changed", lines: ["- readOnlyHint: true", "+ readOnlyHint: false"] },
  ]);
});

/** A second server beside the first, with the lock as the command writes it. */
async function addOther(): Promise<RecordingServer> {
  const other = await startRecordingServer({});
  onTestFinished(() => other.close());
  writeFileSync(path.join(root, "servers/other.server.yaml"), `name: other\nurl: "${other.url}"\n`);
  const file = path.join(root, "agents/one.agent.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}  - { name: other, path: servers/other.server.yaml }\n`);
  return other;
}

async function runLock(...options: string[]): Promise<{ code: unknown; said: string }> {
  vi.stubEnv("KIMITSU_PROJECT", root);
  vi.stubEnv("KIMITSU_ALLOW_HOSTS", "127.0.0.1");
  vi.stubEnv("REC_KEY", "SENTINEL-key");
  rereadEnv();
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  try {
    process.exitCode = 0;
    await createProgram().parseAsync(["lock", ...options], { from: "user" });
    return { code: process.exitCode, said: lines.join("\n") };
  } finally {
    process.exitCode = undefined;
    log.mockRestore();
    vi.unstubAllEnvs();
    rereadEnv();
  }
}

test(
  verifies(
    "lock:unreachable",
    "one unreachable server does not keep the others from being locked, and its entries stay",
  ),
  async () => {
    const other = await addOther();
    expect(await runLock()).toMatchObject({ code: 0 });
    const before = readToolsLock(root)!;
    await recording.change({ name: "brand-new", description: "never seen" });
    await other.close();
    const { code, said } = await runLock();
    expect(code).toBe(1);
    expect(said).toContain("+ rec.brand-new added");
    expect(said).toMatch(/! other could not be asked and keeps what the lock had for it: .*other/);
    expect(said).toMatch(/tools\.lock\.yaml written: 1 tool is different\. 1 server could not be asked: other\./);
    const after = readToolsLock(root)!;
    expect(after.servers.other).toEqual(before.servers.other);
    expect(Object.keys(after.servers.rec!.tools)).toContain("brand-new");
    expect(await runLock()).toMatchObject({
      code: 1,
      said: expect.stringMatching(/tools\.lock\.yaml stays as it is\. 1 server could not be asked: other\./) as unknown,
    });
    expect(await runLock("--check")).toMatchObject({ code: 1 });
    expect(await runLock("--server", "rec")).toMatchObject({
      code: 0,
      said: expect.stringContaining("is up to date") as unknown,
    });
  },
);

test(
  verifies("lock:unreachable", "one that was never locked is left out, so that its tools stay refused"),
  async () => {
    const other = await addOther();
    await other.close();
    const { code, said } = await runLock();
    expect({ code, servers: Object.keys(readToolsLock(root)!.servers) }).toEqual({ code: 1, servers: ["rec"] });
    expect(said).toContain("! other could not be asked and is not locked; its tools cannot be called until it is: ");
  },
);

test("where no server can be asked nothing is written, and the message has no secret", async () => {
  const { lock, unreachable } = await compute({ REC_KEY: "SENTINEL-wrong" });
  expect(lock.servers).toEqual({});
  expect(unreachable).toMatchObject([
    { server: "rec", reason: expect.stringContaining("Server rec cannot be used") as unknown },
  ]);
  expect(JSON.stringify(unreachable)).not.toContain("SENTINEL");
  await recording.close();
  expect(await runLock()).toMatchObject({ code: 1, said: expect.stringContaining("is not written") as unknown });
  expect(readToolsLock(root)).toBeNull();
});

test("a param that only a run could give is requested by name, and read from the named variable", async () => {
  await expect(compute({})).rejects.toThrow("--secret rec.key=VARIABLE");
  const { lock } = await compute({ OTHER: "SENTINEL-key" }, { secret: ["rec.key=OTHER"] });
  expect(Object.keys(lock.servers.rec!.tools)).toContain("echo");
});

test("a lock that was edited into something else is refused with its line, and never counts as absent", () => {
  writeFileSync(
    path.join(root, "tools.lock.yaml"),
    "version: 1\nservers:\n  rec:\n    hash: sha256:00\n    tools: {}\n",
  );
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
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  // Nothing needs to listen there: the address is refused before anything is sent.
  await createProgram().parseAsync(["lock", "--check", "--secret", "shop.api_key=SHOP_API_KEY_OF_A_TEST"], {
    from: "user",
  });
  log.mockRestore();
  process.exitCode = undefined;
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join("\n")).not.toContain("KIMITSU_ALLOW_HOSTS");
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import { createProgram } from "@/lib/cli/program";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { rereadEnv } from "@/lib/env";
import { rememberTools } from "@/lib/tools/transitions/remember-tools";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();

const FILES = {
  "gateway.yaml":
    'providers:\n  - { name: local, type: openai-compatible, config: { base_url: "http://localhost:11434/v1" } }\nmodel_groups:\n  - { name: standard, models: [local/any] }\n',
  "servers/crm.server.yaml": 'name: crm\nurl: "https://crm.test/mcp"\nparams:\n  region: { default: us }\n',
  "servers/wiki.server.yaml": 'name: wiki\nurl: "https://wiki.test/mcp"\n',
  "agents/triage.agent.yaml":
    'name: triage\nmodel: standard\nprompt: { system: "Triage." }\nservers:\n  - { name: crm, path: servers/crm.server.yaml }\n  - { name: wiki, path: servers/wiki.server.yaml }\n',
};

const root = mkdtempSync(path.join(tmpdir(), "kimitsu-explain-db-"));
for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}
afterAll(() => rmSync(root, { recursive: true }));

beforeEach(() => {
  vi.stubEnv("KIMITSU_PROJECT", root);
  rereadEnv();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rereadEnv();
});

const tool = (name: string, annotations: ToolDefinition["annotations"], description = "Looks."): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object" },
  annotations,
});
const see = (minute: number, tools: ToolDefinition[]) =>
  rememberTools(
    database.db,
    { server: "crm", hash: `sha256:${minute}`, tools, hasLock: false },
    new Date(Date.UTC(2026, 0, 1, 10, minute)),
  );

async function explain(name: string): Promise<string> {
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await createProgram().parseAsync(["explain", "triage", name], { from: "user" });
  const said = printed.mock.calls.flat().join("\n");
  printed.mockRestore();
  return said;
}

test(verifies("explain:known", "danger and pins are those of the definition that was last seen"), async () => {
  await see(0, [tool("find", { readOnlyHint: true }), tool("wipe", { destructiveHint: true })]);
  const find = await explain("crm.find");
  expect(find).toMatch(/^crm\.find runs without asking/);
  expect(find).toContain(
    "Judged by the definition of find that the database knows: last seen 2026-01-01T10:00:00.000Z, trusted on first use.",
  );
  expect(find).toContain("  region  us  (default, servers/crm.server.yaml:4)");
  expect(await explain("crm.wipe")).toContain("danger is critical");
  await see(1, [tool("find", { readOnlyHint: true }, "Looks, and tells others.")]);
  const changed = await explain("crm.find");
  expect(changed).toMatch(/^crm\.find waits for a person/);
  expect(changed).toContain("changed since it was trusted");
  expect(await explain("crm.wipe")).toMatch(/^crm\.wipe is refused/);
  expect(await explain("crm.other")).toContain("The database knows the list of this server, and other is not on it.");
});

test(
  verifies("explain:known", "a server that was never seen is judged by the files, and the answer says so"),
  async () => {
    const said = await explain("wiki.read");
    expect(said).toMatch(/^wiki\.read waits for a person/);
    expect(said).toContain("(the database has never seen this server)");
  },
);

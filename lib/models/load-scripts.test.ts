import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadScripts } from "./load-scripts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "scripts-"));
  await mkdir(path.join(root, "models"));
  await writeFile(path.join(root, "models/a.script.yaml"), "agents: { a: { turns: [{ say: hello }] } }");
  await writeFile(path.join(root, "models/b.script.yaml"), "agents: { a: { turns: [{ sya: hello }] } }");
});
afterEach(() => rm(root, { recursive: true }));

const scripted = (script: string) => ({ providers: [{ name: "demo", type: "scripted" as const, config: { script } }] });

test("the scripts of all scripted providers are found by the provider's name", async () => {
  const scripts = await loadScripts(root, scripted("./models/a.script.yaml"));
  expect(scripts.get("demo")).toMatchObject({ file: "models/a.script.yaml", script: { agents: { a: { turns: [{ say: "hello" }] } } } });
});

test.each([
  ["is missing", "models/c.script.yaml", /"models\/c\.script\.yaml" of gateway\.yaml cannot be read/],
  ["lies outside", "../secret.yaml", /lies outside of the project/],
  ["is absolute", "/etc/passwd", /lies outside of the project/],
  ["cannot be played", "models/b.script.yaml", /models\/b\.script\.yaml:1:\d+ .*unknown field "sya"/],
])("a script that %s is refused", async (_case, script, message) => {
  await expect(loadScripts(root, scripted(script))).rejects.toMatchObject({ code: "config_invalid", message: expect.stringMatching(message) });
});

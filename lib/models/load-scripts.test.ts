import { expect, test } from "vitest";
import { loadScripts } from "./load-scripts";

const TEXTS = {
  "models/a.script.yaml": "agents: { a: { turns: [{ say: hello }] } }",
  "models/b.script.yaml": "agents: { a: { turns: [{ sya: hello }] } }",
};
const scripted = (script: string) => ({ providers: [{ name: "demo", type: "scripted" as const, config: { script } }] });

test("the scripts of all scripted providers are found by the provider's name", () => {
  const scripts = loadScripts(TEXTS, scripted("./models/a.script.yaml"));
  expect(scripts.get("demo")).toMatchObject({
    file: "models/a.script.yaml",
    script: { agents: { a: { turns: [{ say: "hello" }] } } },
  });
});

test.each([
  ["is missing", "models/c.script.yaml", /"models\/c\.script\.yaml" of gateway\.yaml is not in the project/],
  ["is named as objects name their own", "constructor", /is not in the project/],
  ["lies outside", "../secret.yaml", /lies outside of the project/],
  ["is absolute", "/etc/passwd", /lies outside of the project/],
  ["cannot be played", "models/b.script.yaml", /models\/b\.script\.yaml:1:\d+ .*unknown field "sya"/],
])("a script that %s is refused", (_case, script, message) => {
  expect(() => loadScripts(TEXTS, scripted(script))).toThrow(
    expect.objectContaining({ code: "config_invalid", message: expect.stringMatching(message) }),
  );
});

import { expect, test } from "vitest";
import { z } from "zod";
import { formatProblem } from "@/lib/config/problem";
import { KimitsuError } from "@/lib/errors";
import { getScript, parseScript } from "./parse-script";
import { scriptSchema } from "./script-schema";

const problemsOf = (text: string) => parseScript("s.yaml", text).problems.map((problem) => formatProblem(problem));

test.each([
  [
    "an unknown field",
    "agents:\n  a:\n    turns:\n      - outptu: hello\n",
    /^s\.yaml:4:9 agents\.a\.turns\[0\]: unknown field "outptu"; did you mean "output"\?/,
  ],
  [
    "a turn without content",
    "agents: { a: { turns: [{ delay_ms: 5 }] } }",
    /turns\[0\]: a turn needs `say`, `call`, `output` or `error`/,
  ],
  [
    "output beside a call",
    "agents: { a: { turns: [{ output: 1, call: [{ tool: x }] }] } }",
    /`output` is the whole answer/,
  ],
  [
    "a fallback that is not last",
    "agents: { a: { turns: [{ branches: [{ say: x }, { when: last, say: y }] }] } }",
    /branches\[0\]: a branch without `when` always holds/,
  ],
  [
    "branches beside a turn",
    "agents: { a: { turns: [{ say: x, branches: [{ say: y }] }] } }",
    /`branches` stands alone; move `say` into a branch/,
  ],
  [
    "an expression that is none",
    "agents: { a: { rules: [{ when: 'a ==', say: x }] } }",
    /rules\[0\]\.when: not a JMESPath expression/,
  ],
  [
    "a pattern that is none",
    "agents: { a: { params: { id: '(' }, otherwise: { say: x } } }",
    /params\.id: not a regular expression/,
  ],
  [
    "a template of an unknown root",
    "agents:\n  a:\n    turns:\n      - call:\n          - { tool: x, arguments: { n: '{{ result.x }}' } }\n",
    /^s\.yaml:5:\d+ agents\.a\.turns\[0\]\.call\[0\]\.arguments\.n: .*unknown name "result"/,
  ],
  [
    "a template in a branch that is never closed",
    "agents: { a: { turns: [{ branches: [{ say: '{{ params.x' }] }] } }",
    /branches\[0\]\.say: .*never closed/,
  ],
  ["an empty script", "agents: { a: {} }", /a script needs `turns`, `rules` or `otherwise`/],
  [
    "attempts without what comes after them",
    "agents: { a: { turns: [{ error: { kind: overloaded, attempts: 1 } }] } }",
    /`error\.attempts` says when the turn succeeds/,
  ],
  ["broken YAML", "agents: [", /^s\.yaml:1:\d+/],
])("%s is refused with its position", (_case, text, message) => {
  expect(problemsOf(text)[0]).toMatch(message);
  expect(parseScript("s.yaml", text).script).toBeNull();
});

test("all problems are reported at once", () => {
  expect(problemsOf("agents: { a: { turns: [{ sya: x }, { say: 5 }] } }").length).toBeGreaterThanOrEqual(2);
  const refuse = () => getScript("s.yaml", "agents: { a: { turns: [{ say: '{{ x }}' }, { say: '{{ y }}' }] } }");
  expect(refuse).toThrow(KimitsuError);
  expect(refuse).toThrow(/s\.yaml:1:\d+ agents\.a\.turns\[0\]\.say[\s\S]*turns\[1\]\.say/);
});

test("editors get a JSON Schema in which every field is described", () => {
  const schema = z.toJSONSchema(scriptSchema, { io: "input" }) as unknown as {
    properties: { agents: { additionalProperties: { properties: Record<string, { description?: string }> } } };
  };
  const fields = Object.values(schema.properties.agents.additionalProperties.properties);
  expect(fields.length).toBe(4);
  for (const field of fields) expect(field.description).toBeTruthy();
});

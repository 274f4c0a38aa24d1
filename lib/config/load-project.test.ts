import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { KimitsuError } from "@/lib/errors";
import { getProject, loadProject, type LoadOptions } from "./load-project";
import { formatProblem } from "./problem";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const OPTIONS: LoadOptions = { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} };

const GATEWAY = `
providers: [{ name: local, type: openai-compatible, config: { base_url: "http://localhost:11434/v1" } }]
model_groups: [{ name: standard, models: [local/small] }]
`;
const AGENT = `
name: triage
model: standard
prompt: { system: "Sort it.", user: "Sort {{ params.message }}" }
params: { schema: { type: object, required: [message], properties: { message: { type: string } } } }
output: { schema: { type: object, properties: { category: { type: string } } } }
`;
const WORKFLOW = `
kind: workflow
name: support
params: { schema: { type: object, required: [message], properties: { message: { type: string } } } }
pipeline:
  - id: sort-it
    agent: ./agents/triage.agent.yaml
    params: { message: "{{ params.message }}" }
  - id: shape
    transform: { inputs: [{ from: sort-it }], ops: [{ map: { expr: category } }] }
    condition: "step.sort-it.category == 'billing'"
`;
const FILES = {
  "gateway.yaml": GATEWAY,
  "agents/triage.agent.yaml": AGENT,
  "workflows/support.workflow.yaml": WORKFLOW,
};

function write(files: Record<string, string | Buffer>): string {
  const root = mkdtempSync(path.join(tmpdir(), "kimitsu-project-"));
  folders.push(root);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  return root;
}

function problemsOf(files: Record<string, string | Buffer>, options: Partial<LoadOptions> = {}): string[] {
  return loadProject(write({ ...FILES, ...files }), { ...OPTIONS, ...options }).problems.map((problem) =>
    formatProblem(problem),
  );
}

describe("a valid project", () => {
  it("is frozen, with every reference resolved and every value located", () => {
    const { project, problems, files } = loadProject(write(FILES), OPTIONS);
    expect(problems).toEqual([]);
    expect(files.map((entry) => entry.ok)).toEqual([true, true, true]);
    const workflow = project?.workflows.support;
    expect(workflow?.steps[0]?.agent?.name).toBe("triage");
    expect(workflow?.steps[1]?.dependsOn).toEqual(["sort-it"]);
    expect(workflow?.order).toEqual(["sort-it", "shape"]);
    expect(project?.locate("workflows/support.workflow.yaml", ["pipeline", 0, "params", "message"])).toEqual({
      file: "workflows/support.workflow.yaml",
      line: 8,
      column: 24,
    });
    expect(() => Object.assign(workflow!.definition.pipeline[0]!, { id: "x" })).toThrow();
    expect(project?.workflows.constructor).toBeUndefined();
  });

  it("has a hash that depends on content and not on layout, comments or the order of fields", () => {
    const hashOf = (files: Record<string, string>) => loadProject(write({ ...FILES, ...files }), OPTIONS).project?.hash;
    const hash = hashOf({});
    expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(
      hashOf({ "agents/triage.agent.yaml": `# a comment\nmodel: standard${AGENT.replace("model: standard\n", "")}` }),
    ).toBe(hash);
    expect(hashOf({ "agents/triage.agent.yaml": AGENT.replace("Sort it.", "Sort it!") })).not.toBe(hash);
  });
});

describe("problems", () => {
  it("of all files are reported at once, with file, line, column, path and what would be right", () => {
    const problems = problemsOf({
      "agents/triage.agent.yaml": AGENT.replace("model: standard", "modle: standard"),
      "gateway.yaml": GATEWAY.replace("models: [local/small]", "models: [lokal/small]"),
      "workflows/support.workflow.yaml": WORKFLOW.replace("agents/triage", "agents/triaje"),
    });
    expect(problems).toEqual([
      'agents/triage.agent.yaml:3:1: unknown field "modle"; did you mean "model"?',
      'gateway.yaml:3:43 model_groups[0].models[0]: no provider "lokal"; did you mean "local"?',
      'workflows/support.workflow.yaml:7:12 pipeline[0].agent: no agent file "./agents/triaje.agent.yaml"; did you mean "agents/triage.agent.yaml"?',
    ]);
  });

  it("make getProject throw one error that lists them", () => {
    const root = write({ ...FILES, "agents/triage.agent.yaml": AGENT.replace("standard", "standart") });
    try {
      getProject(root, OPTIONS);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(KimitsuError);
      expect((error as KimitsuError).code).toBe("config_invalid");
      expect((error as KimitsuError).message).toContain('no model group "standart"; did you mean "standard"?');
      expect((error as KimitsuError).issues).toHaveLength(1);
    }
  });

  it("name the project folder when it does not exist", () => {
    expect(loadProject("/nowhere/at/all", OPTIONS).problems[0]?.message).toBe(
      "there is no project folder /nowhere/at/all",
    );
  });
});

describe("hostile files are refused with a message", () => {
  const file = "agents/triage.agent.yaml";
  const cases: [string, string | Buffer, RegExp][] = [
    ["a tab as indent", "name: a\nprompt:\n\tsystem: x\n", /:3:1: a tab is used to indent; YAML indents with spaces/],
    ["broken YAML", "name: [a\n", /not valid YAML/],
    ["a duplicate key", "name: a\nname: b\n", /:2:1: field "name" is given twice/],
    ["a merge key", "base: &b { a: 1 }\nx:\n  <<: *b\n", /:3:3 x: merge keys/],
    ["an alias", "a: &a 1\nb: *a\n", /:2:4 b: "\*a" refers to an anchor/],
    [
      "an alias bomb",
      `a0: &a0 [x]\n${Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join("\n")}`,
      /refers to an anchor/,
    ],
    ["a 10 MB file", Buffer.alloc(10 * 1024 * 1024, "a"), /too large: 10240 KB; at most 256 KB/],
    ["text that is not UTF-8", Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x3a, 0x20, 0xff, 0xfe]), /not UTF-8/],
    ["deep flow nesting", "[".repeat(250_000), /nested too deeply|not valid YAML/],
    ["deep block nesting", "- ".repeat(120_000), /nested too deeply|not valid YAML/],
    ["a hundred levels", `a: ${"[".repeat(100)}${"]".repeat(100)}`, /nested too deeply to read; at most 64/],
    ["many closing brackets", "]}".repeat(120_000), /not valid YAML/],
    ["twenty thousand keys", Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n"), /unknown field "k0"/],
    ["__proto__ as a key", "name: a\n__proto__: { x: 1 }\n", /"__proto__" cannot be a field name/],
    ["two documents", "name: a\n---\nname: b\n", /more than one YAML document/],
    [
      "a template without quotes",
      "name: a\nprompt:\n  user: {{ params.x }}\n",
      /:3:10 prompt.user: a field name must be plain text; a template is text and needs quotes: "\{\{ params.NAME \}\}"/,
    ],
    ["an empty file", "", /the file is empty/],
    ["a list", "- a\n", /expected a mapping, got a list/],
    ["a lone surrogate", 'name: "\\uD800"\n', /lone surrogate/],
    ["an unknown tag", "name: !!js/function x\n", /tag/i],
    ["infinity", "max_turns: .inf\n", /cannot be carried in JSON/],
    ["a number that is too large", "max_turns: 12345678901234567890\n", /too large to be kept exactly/],
  ];
  it.each(cases)("%s", (_name, content, expected) => {
    expect(problemsOf({ [file]: content }).join("\n")).toMatch(expected);
  });

  it("a link that leads out of the project", () => {
    const root = write(FILES);
    const outside = write({ "x.yaml": AGENT });
    rmSync(path.join(root, file));
    symlinkSync(path.join(outside, "x.yaml"), path.join(root, file));
    expect(loadProject(root, OPTIONS).problems.map((problem) => formatProblem(problem))).toEqual([
      `${file}:1:1: the file is a link that leads out of the project; put the file itself here`,
    ]);
  });

  it("a link inside the project is followed", () => {
    const root = write({ ...FILES, "shared/real.yaml": AGENT });
    rmSync(path.join(root, file));
    symlinkSync(path.join(root, "shared/real.yaml"), path.join(root, file));
    expect(loadProject(root, OPTIONS).problems).toEqual([]);
  });

  it.each(["../outside.agent.yaml", "/etc/passwd", "agents/../../x.agent.yaml", "C:\\x.agent.yaml"])(
    "a path out of the project: %s",
    (reference) => {
      const problems = problemsOf({
        "workflows/support.workflow.yaml": WORKFLOW.replace(
          "./agents/triage.agent.yaml",
          JSON.stringify(reference).slice(1, -1),
        ),
      });
      expect(problems.join("\n")).toMatch(/lies outside of the project|no agent file/);
    },
  );

  it("a file of an unknown kind in a known folder is a warning", () => {
    const { project, problems } = loadProject(
      write({
        ...FILES,
        "agents/other.yaml": "x: 1",
        "agents/README.md": "text",
        "gateway.yml": "",
        "agent/x.yaml": "",
        "x.workflow.yaml": "",
        "notes.txt": "",
        "data/x.json": "",
      }),
      OPTIONS,
    );
    expect(problems.map((problem) => formatProblem(problem))).toEqual([
      'agent:1:1: warning: this folder is not read; did you mean "agents"?',
      "agents/other.yaml:1:1: warning: this file is not read; files here are named *.agent.yaml",
      'gateway.yml:1:1: warning: this file is not read; name it "gateway.yaml"',
      "x.workflow.yaml:1:1: warning: this file is not read; move it to workflows/",
    ]);
    expect(project).not.toBeNull();
  });
});

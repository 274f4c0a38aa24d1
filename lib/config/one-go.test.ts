import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { verifies } from "@/e2e/requirements";
import { loadProject } from "./load-project";
import { findNearest, formatProblem } from "./problem";
import { ProjectFixture, SMALL_PROJECT } from "./project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const AGENT = "agents/triage.agent.yaml";
const SERVER = "servers/crm.server.yaml";
const MAIN = "workflows/support.workflow.yaml";
const GATEWAY = "gateway.yaml";

type Changes = Record<string, Record<string, unknown> | string | null>;
const withChanges = (changes: Changes) => {
  const files: Record<string, unknown> = { ...SMALL_PROJECT };
  for (const [file, change] of Object.entries(changes))
    files[file] =
      change === null || typeof change === "string" ? change : { ...(files[file] as object | undefined), ...change };
  return files;
};
const problems = (changes: Changes) => fixture.problems(withChanges(changes));

describe("one mistake hides no other", () => {
  it(verifies("promise:10", "a schema error in every file hides no error between them"), () => {
    expect(
      problems({
        [GATEWAY]: { model_groups: [{ name: "standard", models: ["lokal/small"], strategy: "fastest" }] },
        [SERVER]: { timeout: "often", auth: { secret: "{{ params.kye }}" } },
        [AGENT]: {
          max_turns: "six",
          model: "standart",
          servers: [{ name: "crm", path: SERVER, params: { regoin: "us" }, access: { allowlist: ["lookup"] } }],
        },
        [MAIN]: {
          version: 1,
          pipeline: [
            {
              id: "sort",
              agent: AGENT,
              params: { massage: "{{ params.message }}" },
              condition: "step.nowhere.x == 'y'",
              confidence_threshold: 3,
            },
          ],
        },
      }),
    ).toEqual([
      `${AGENT} model: no model group "standart"; did you mean "standard"?`,
      `${AGENT} servers[0].params.regoin: server crm has no param "regoin"; did you mean "region"?`,
      `${AGENT} max_turns: expected a number, got "six"`,
      expect.stringContaining(`${GATEWAY} model_groups[0].models[0]: no provider "lokal"`),
      expect.stringContaining(`${GATEWAY} model_groups[0].strategy: "fastest" is not allowed`),
      expect.stringContaining(`${SERVER} timeout: "often" is not a duration`),
      expect.stringContaining(`${SERVER} auth.secret: the server declares no param "kye"`),
      expect.stringContaining(
        `${MAIN} pipeline[0].params.massage: agent triage has no param "massage"; did you mean "message"?`,
      ),
      expect.stringContaining(`${MAIN} pipeline[0].condition: no step "nowhere"`),
      expect.stringContaining(`${MAIN} pipeline[0].confidence_threshold: `),
      expect.stringContaining(`${MAIN} version: expected text, got 1`),
    ]);
  });

  it("a step of no kind hides neither the other steps nor what refers to it", () => {
    expect(
      problems({
        [MAIN]: {
          pipeline: [
            { id: "what", agnt: AGENT },
            { id: "sort", agent: "agents/nobody.agent.yaml" },
            { id: "then", transform: { inputs: [{ from: "what.result" }, { from: "whta.result" }] } },
          ],
        },
      }),
    ).toEqual([
      `${MAIN} pipeline[0]: unknown field "agnt"; did you mean "agent"?`,
      expect.stringContaining(`${MAIN} pipeline[1].agent: no agent file "agents/nobody.agent.yaml"`),
      `${MAIN} pipeline[2].transform.inputs[1].from: no step "whta"; did you mean "what"?`,
    ]);
  });

  it("a field that is given twice hides nothing else of its file", () => {
    expect(
      problems({
        [AGENT]: 'name: triage\nname: again\nmodel: standart\nprompt: { system: x, user: "{{ params.nope }}" }\n',
      }),
    ).toEqual([
      `${AGENT}: field "name" is given twice; keep one of them`,
      `${AGENT} model: no model group "standart"; did you mean "standard"?`,
      expect.stringContaining(`${AGENT} prompt.user: the agent declares no param "nope"`),
    ]);
  });

  it.each<[string, Changes, string]>([
    [
      "a misspelt `params`",
      { [AGENT]: { params: undefined, parms: SMALL_PROJECT[AGENT].params } },
      'unknown field "parms"',
    ],
    [
      "a misspelt `env`",
      { [MAIN]: { evn: [{ name: "X" }], pipeline: [{ id: "hook", webhook: { url: "{{ env.X }}" } }] } },
      'unknown field "evn"',
    ],
    [
      "a variable without a name",
      { [MAIN]: { env: [{ nmae: "X" }], pipeline: [{ id: "hook", webhook: { url: "{{ env.X }}" } }] } },
      'unknown field "nmae"',
    ],
    [
      "a step without a name",
      { [MAIN]: { pipeline: [{ transform: {} }, { id: "b", transform: { inputs: [{ from: "a.result" }] } }] } },
      'the field "id" is missing',
    ],
    [
      "a model group without a name",
      { [GATEWAY]: { model_groups: [{ nam: "standard", models: ["local/small"] }] } },
      'unknown field "nam"',
    ],
    [
      "a provider without a name",
      {
        [GATEWAY]: {
          providers: [{ nam: "local", type: "openai-compatible", config: { base_url: "http://localhost:1" } }],
        },
      },
      'unknown field "nam"',
    ],
    [
      "a provider of no known type",
      { [GATEWAY]: { providers: [{ name: "local", type: "openia", config: { base_url: "http://localhost:1" } }] } },
      '"openia" is not allowed',
    ],
    [
      "a server's params that are a list",
      { [SERVER]: { params: ["region"] }, [AGENT]: { servers: [{ path: SERVER, params: { region: "us" } }] } },
      "expected a mapping, got a list",
    ],
    [
      "a server's param that is misspelt inside",
      { [SERVER]: { params: { region: { defualt: "eu" } } } },
      'unknown field "defualt"',
    ],
    ["an agent's servers that are a mapping", { [AGENT]: { servers: { crm: SERVER } } }, "expected a list"],
    ["a server without a url of any kind", { [SERVER]: { url: 7 } }, "url: expected text"],
    [
      "a price that is none",
      {
        [GATEWAY]: {
          model_groups: [
            {
              name: "standard",
              models: ["local/small"],
              pricing: [{ model: "small", input_per_million: "cheap", output_per_million: 1 }],
            },
          ],
        },
        [MAIN]: { model_policy: { cost_budget_usd: 1 } },
      },
      "input_per_million",
    ],
    [
      "a group of policy.yaml that is none",
      {
        "policy.yaml": { groups: { finance: 7 } },
        [AGENT]: {
          servers: [
            { path: SERVER, access: { allowlist: [{ name: "x", require_approval: { approvers: ["finance"] } }] } },
          ],
        },
      },
      "groups.finance",
    ],
    [
      "models that are none, with their prices",
      {
        [GATEWAY]: {
          model_groups: [
            { name: "standard", models: 7, pricing: [{ model: "small", input_per_million: 1, output_per_million: 1 }] },
          ],
        },
      },
      "model_groups[0].models: expected a list",
    ],
    [
      "a misspelt path of a server that has a name",
      { [AGENT]: { servers: [{ name: "crm", pathh: SERVER }] } },
      'unknown field "pathh"',
    ],
    [
      "a misspelt `for_each`",
      {
        [MAIN]: {
          pipeline: [
            { id: "sort", agent: AGENT, params: { message: "{{ item }}" }, for_eahc: { from: "params.message" } },
          ],
        },
      },
      'unknown field "for_eahc"',
    ],
    [
      "a name with hyphens that is misspelt",
      {
        [MAIN]: {
          pipeline: [
            { idd: "look-into", transform: {} },
            { id: "b", condition: "step.look-into.x", transform: {} },
          ],
        },
      },
      'unknown field "idd"',
    ],
    ["a file that is not YAML", { [AGENT]: "name: [a\n" }, "not valid YAML"],
  ])("nothing is reported twice, nor as a consequence: %s", (_name, changes, expected) => {
    expect(problems(changes)).toEqual([expect.stringContaining(expected)]);
  });
});

describe("what this version does not read is reported", () => {
  const of = (changes: Changes) => fixture.load(withChanges(changes)).problems.map((problem) => formatProblem(problem));

  it.each([
    [
      "directives/deploy.xml",
      "directives are not supported by this version; remove the file, or keep it outside of the project folder",
    ],
  ])("%s is an error", (file, message) => expect(of({ [file]: "<directive/>" })).toEqual([`${file}:1:1: ${message}`]));

  it("a file of an unknown kind in a folder that is read is named", () => {
    expect(of({ "agents/other.yaml": "x: 1", "workflows/flow.yml": "x: 1", "agents/README.md": "text" })).toEqual([
      "agents/other.yaml:1:1: warning: this file is not read; files here are named *.agent.yaml",
      "workflows/flow.yml:1:1: warning: this file is not read; files here are named *.workflow.yaml",
    ]);
  });

  it("an empty project folder, and one without anything to run, are errors", () => {
    const root = fixture.write({});
    const load = (folder: string) =>
      loadProject(folder, { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} });
    expect(load(root).problems.map((problem) => formatProblem(problem))).toEqual([
      expect.stringMatching(/holds no project; .*KIMITSU_PROJECT/),
    ]);
    expect(load(root).project).toBeNull();
    mkdirSync(path.join(root, "workflows"));
    expect(load(root).problems.map((problem) => formatProblem(problem))).toEqual([
      expect.stringMatching(/holds no project/),
    ]);
  });

  it("a name of no built-in server is an error that names the ones there are", () => {
    expect(problems({ [AGENT]: { servers: [{ name: "kimitsu/filse" }] } })).toEqual([
      `${AGENT} servers[0].name: there is no built-in server "kimitsu/filse"; did you mean "kimitsu/files"?`,
    ]);
  });

  it("`persistent_id` may hold a template", () => {
    expect(
      problems({ [AGENT]: { servers: [{ path: SERVER, persistent_id: "{{ params.message }}-{{ step.x.y }}" }] } }),
    ).toEqual([]);
  });
});

describe("suggestions", () => {
  it.each([
    ["nope", "pipe"],
    ["ab", "ac"],
    ["map", "env"],
    ["user", "name"],
    ["crm", "erp"],
    ["wiki", "mail"],
    ["host", "port"],
  ])("%s does not suggest %s", (given, known) => {
    expect(findNearest(given, [known])).toBeUndefined();
  });

  it.each([
    ["modle", "model"],
    ["max_turn", "max_turns"],
    ["whta", "what"],
    ["regoin", "region"],
    ["kye", "key"],
    ["recovr", "recover"],
    ["evn", "env"],
    ["wikki", "wiki"],
    ["lokal", "local"],
    ["toolsets", "toolset"],
    ["dependsOn", "depends_on"],
    ["agnt", "agent"],
    ["parms", "params"],
  ])("%s suggests %s", (given, known) => {
    expect(findNearest(given, [known, "something-else"])).toBe(known);
  });
});

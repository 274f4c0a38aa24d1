import { afterAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { buildTree, type TreeNode } from "@/lib/cli/tree";
import { listEffectiveParams, listParamWays } from "./effective-params";
import { getProject } from "./load-project";
import { ProjectFixture } from "./project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const FILES = {
  "gateway.yaml":
    'providers:\n  - { name: local, type: openai-compatible, config: { base_url: "http://localhost:11434/v1" } }\nmodel_groups:\n  - { name: standard, models: [local/any] }\n',
  "servers/crm.server.yaml": `name: crm
url: "https://crm.test/mcp"
auth: { secret: "{{ params.api_key }}" }
params:
  api_key: { secret: true }
  region: { default: us }
  limit: { default: "10" }
  tenant: { default: main }
`,
  "agents/triage.agent.yaml": `name: triage
model: standard
params: { schema: { type: object, properties: { key: { type: string, secret: true } } } }
prompt: { system: "Triage." }
servers:
  - name: crm
    path: servers/crm.server.yaml
    params:
      api_key: "{{ params.key }}"
      limit: "20"
      tenant: east
`,
  "workflows/main.workflow.yaml": `kind: workflow
name: main
env: [{ name: CRM_KEY, secret: true }]
pipeline:
  - id: plain
    agent: ./agents/triage.agent.yaml
    params: { key: "{{ env.CRM_KEY }}" }
  - id: special
    agent: ./agents/triage.agent.yaml
    params:
      key: "{{ env.CRM_KEY }}"
      server:
        crm:
          tenant: west
`,
};

const root = fixture.write(FILES);
const project = getProject(root, {
  deployment: { allowStdio: false, allowBypass: false },
  processEnv: { CRM_KEY: "SENTINEL" },
});
const agent = project.agents.triage!;
const workflow = project.workflows.main!;

const PLAIN = [
  { name: "api_key", value: "{{ params.key }}", origin: "agent", source: "agents/triage.agent.yaml:9", secret: true },
  { name: "region", value: "us", origin: "default", source: "servers/crm.server.yaml:6", secret: false },
  { name: "limit", value: "20", origin: "agent", source: "agents/triage.agent.yaml:10", secret: false },
  { name: "tenant", value: "east", origin: "agent", source: "agents/triage.agent.yaml:11", secret: false },
];
const SPECIAL = PLAIN.with(3, {
  name: "tenant",
  value: "west",
  origin: "workflow",
  source: "workflows/main.workflow.yaml:14",
  secret: false,
});

describe(verifies("params:origin", "the params of a server"), () => {
  test("the step's take precedence over the agent's, and these over the defaults, each with its line", () => {
    const [plain, special] = workflow.steps.map((step) =>
      listEffectiveParams(project, agent, agent.servers[0]!, { workflow, step }),
    );
    expect(plain).toEqual(PLAIN);
    expect(special).toEqual(SPECIAL);
  });

  test("are in `tree --json`, per step", () => {
    const servers = buildTree(project, "main").children.map((step) =>
      step.children[0]!.children.find((node: TreeNode) => node.kind === "server"),
    );
    expect(servers.map((node) => node?.params)).toEqual([PLAIN, SPECIAL]);
  });

  test("are grouped by the steps that have the same", () => {
    expect(listParamWays(project, agent, agent.servers[0]!)).toEqual([
      { steps: ["main.plain"], params: PLAIN },
      { steps: ["main.special"], params: SPECIAL },
    ]);
  });

  test("show no value of a secret, whatever the file says", () => {
    const given = {
      ...agent,
      definition: {
        ...agent.definition,
        servers: [{ ...agent.definition.servers[0]!, params: { api_key: "`SENTINEL`" } }],
      },
    };
    const [shown] = listEffectiveParams(project, given, agent.servers[0]!, null);
    expect(shown).toMatchObject({ value: "[secret]", secret: true });
    expect(JSON.stringify(buildTree(project, "main"))).not.toContain("SENTINEL");
  });

  test("say where a value is missing", () => {
    const bare = {
      ...agent,
      definition: { ...agent.definition, servers: [{ ...agent.definition.servers[0]!, params: {} }] },
    };
    expect(listEffectiveParams(project, bare, agent.servers[0]!, null)[0]).toEqual({
      name: "api_key",
      value: null,
      origin: "missing",
      source: "servers/crm.server.yaml:5",
      secret: true,
    });
  });
});

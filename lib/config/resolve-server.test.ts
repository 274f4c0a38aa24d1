import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { getProject } from "./load-project";
import { renderStepParams, resolveServer } from "./resolve-server";
import { SecretRef } from "./secret-ref";

const FILES: Record<string, string> = {
  "gateway.yaml":
    'providers:\n  - { name: local, type: openai-compatible, config: { base_url: "http://localhost:11434/v1" } }\nmodel_groups:\n  - { name: standard, models: [local/any] }\n',
  "servers/crm.server.yaml": `name: crm
url: "https://crm.test/mcp"
auth: { header: X-Api-Key, scheme: raw, secret: "{{ params.api_key }}" }
params:
  api_key: { secret: true }
  region: { default: us-east-1 }
  tenant: { default: acme }
  signing: { secret: true }
`,
  "servers/open.server.yaml": 'name: open\nurl: "https://open.test/mcp"\nparams: { city: {} }\n',
  "agents/triage.agent.yaml": `name: triage
model: standard
params: { schema: { type: object, properties: { message: { type: string }, key: { type: string, secret: true } } } }
prompt: { system: "Triage." }
servers:
  - name: crm
    path: servers/crm.server.yaml
    params: { api_key: "{{ params.key }}", region: "eu-{{ params.message }}", signing: "{{ params.key }}" }
  - path: servers/open.server.yaml
    params: { city: Zürich }
output: { schema: { type: object } }
`,
  "workflows/support.workflow.yaml": `kind: workflow
name: support
params: { schema: { type: object, properties: { message: { type: string } } } }
env: [{ name: CRM_KEY, secret: true }]
pipeline:
  - id: parse
    agent: ./agents/triage.agent.yaml
    params: { message: "{{ params.message }}", key: "{{ env.CRM_KEY }}", server: { crm: { region: "{{ params.message }}" } } }
`,
};

const root = mkdtempSync(path.join(tmpdir(), "kimitsu-resolve-"));
for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}
afterAll(() => rmSync(root, { recursive: true }));

function resolve(
  serverName: string,
  overrides: { serverParams?: Record<string, unknown>; agentParams?: Record<string, unknown> } = {},
) {
  const project = getProject(root, {
    deployment: { allowStdio: false, allowBypass: false },
    processEnv: { CRM_KEY: "set" },
  });
  const workflow = project.workflows.support;
  const step = workflow?.steps[0];
  const agent = step?.agent;
  const server = agent?.servers.find((entry) => entry.name === serverName);
  if (!workflow || !step || !agent || !server || !("agent" in step.definition))
    throw new Error("the project of this test is not as written above");
  const rendered = renderStepParams(step.definition.params, {
    params: { message: "west" },
    env: { CRM_KEY: SecretRef.env("CRM_KEY") },
  });
  return resolveServer({
    project,
    agent,
    server,
    agentParams: overrides.agentParams ?? rendered.agentParams,
    step: { workflow, step, serverParams: overrides.serverParams ?? rendered.serverParams },
  });
}

describe("the params of a tool server", () => {
  it("come from the server file, then the agent, then the workflow step, and say from where", () => {
    const { params } = resolve("crm");
    expect(
      Object.entries(params).map(([name, { value, origin, source }]) => [
        name,
        String(value),
        origin,
        `${source.file}:${source.line}`,
      ]),
    ).toEqual([
      ["api_key", "[secret]", "agent", "agents/triage.agent.yaml:8"],
      ["region", "west", "workflow", "workflows/support.workflow.yaml:8"],
      ["tenant", "acme", "default", "servers/crm.server.yaml:7"],
      ["signing", "[secret]", "agent", "agents/triage.agent.yaml:8"],
    ]);
  });

  it("without the step's own value are the agent's", () => {
    expect(resolve("crm", { serverParams: {} }).params.region).toMatchObject({ value: "eu-west", origin: "agent" });
    expect(resolve("open").params.city).toMatchObject({ value: "Zürich", origin: "agent", secret: false });
  });

  it("that are secret stay references, and the one for the header is used nowhere else", () => {
    const { params, auth } = resolve("crm");
    expect(JSON.stringify({ params, auth })).not.toContain("CRM_KEY");
    expect([params.api_key?.headerOnly, params.signing?.headerOnly]).toEqual([true, false]);
    expect(auth?.header).toBe("X-Api-Key");
    expect(auth?.value.reveal(({ name }) => `value of ${name}`)).toBe("value of CRM_KEY");
    expect(resolve("open").auth).toBeNull();
  });

  it("a plain value in a secret place is still never printed", () => {
    const { params } = resolve("crm", { agentParams: { message: "west", key: "plain-value" } });
    expect(JSON.stringify(params)).not.toContain("plain-value");
  });

  it.each([
    [
      "an unknown param",
      { serverParams: { crm: { regoin: "eu" } } },
      /workflows\/support\.workflow\.yaml:8:\d+ server crm has no param "regoin"/,
    ],
    [
      "a secret in a plain param",
      { serverParams: { crm: { region: SecretRef.env("CRM_KEY") } } },
      /param "region" of server crm is not marked secret and is given a secret/,
    ],
    [
      "a secret inside a plain param",
      { serverParams: { crm: { region: { deep: [SecretRef.env("CRM_KEY")] } } } },
      /is given a secret/,
    ],
    ["an agent param without a value", { agentParams: { message: "west" } }, /"params.key" has no value/],
  ])("%s is refused", (_name, overrides, message) => expect(() => resolve("crm", overrides)).toThrow(message));

  it("one that nobody gives is refused, with where to give it", () => {
    const project = getProject(root, { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} });
    const agent = project.agents.triage;
    const server = agent?.servers[1];
    if (!agent || !server) throw new Error("the project of this test is not as written above");
    const silent = {
      ...agent,
      definition: { ...agent.definition, servers: agent.definition.servers.map((entry) => ({ ...entry, params: {} })) },
    };
    expect(() => resolveServer({ project, agent: silent, server, agentParams: {}, step: null })).toThrow(
      /agents\/triage\.agent\.yaml:9:\d+ param "city" of server open has no value; give it in/,
    );
  });
});

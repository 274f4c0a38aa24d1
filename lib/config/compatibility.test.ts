/** Files in the documented form of the original work unchanged. */
import { afterAll, expect, it } from "vitest";
import { ProjectFixture } from "./project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const FILES = {
  "gateway.yaml": `
env:
  - { name: ANTHROPIC_API_KEY, secret: true, description: "Key", default: "sk-unused" }
providers:
  - name: anthropic
    type: anthropic
    config: { api_key: "{{ env.ANTHROPIC_API_KEY }}" }
model_groups:
  - { name: economy, models: [anthropic/claude-small], strategy: round_robin, default_temperature: 0.3, pricing: [{ model: claude-small, input_per_million: 0.25, output_per_million: 1.25 }] }
  - { name: standard, models: [anthropic/claude-large] }
`,
  "servers.yaml": `
servers:
  - { name: scorer, description: "Scores text", url: "https://mcp.internal/score", auth: { header: X-Api-Key, scheme: raw, secret: "a-token-literal" } }
`,
  "servers/wiki.server.yaml": `
name: wiki-search
url: "https://mcp.internal/wiki"
auth: { header: X-Api-Key, scheme: raw, secret: "{{ params.api_key }}" }
params:
  api_key: { description: "Cloud API key", secret: true }
  region: { description: "Cloud region", default: "us-east-1" }
`,
  "agents/greeter.agent.yaml": `
name: greeter
model: standard
max_turns: 1
prompt: { system: "You receive JSON. Greet." }
output: { schema: { type: object, required: [greeting], properties: { greeting: { type: string } } } }
`,
  "agents/searcher.agent.yaml": `
name: searcher
model: standard
params: { schema: { type: object, properties: { api_key: { type: string, secret: true }, url: { type: string }, index: { type: integer } } } }
prompt: { system: "Search.", user: "Search {{ params.url }} ({{ params.index }})", reflect: "Check {{ params.url }} again." }
servers:
  - path: servers/wiki.server.yaml
    persistent_id: wiki-1
    params: { region: eu-west, api_key: "{{ params.api_key }}" }
    access: { allowlist: [wiki-search, crm-read-*, { name: delete-*, require_approval: { on_reject: recover, timeout: 30m, timeout_behavior: reject } }] }
  - { name: scorer, access: { allowlist: ["*"] } }
sub_agents: [agents/greeter.agent.yaml]
output: { schema: { type: object, required: [score], properties: { score: { type: number }, ktsu_confidence: { type: number } } } }
`,
  "workflows/main.workflow.yaml": `
kind: workflow
name: main
version: "1.2.0"
params: { schema: { type: object, required: [update_id], additionalProperties: true, properties: { update_id: { type: integer }, name: { type: string } } } }
env:
  - { name: WIKI_API_KEY, secret: true, default: x }
  - { name: HOOK, secret: true, default: x }
invoke: { auth: { header: X-Secret, scheme: raw, secret: "{{ env.HOOK }}" } }
pipeline:
  - id: greet
    agent: ./agents/greeter.agent.yaml
    params: { name: "{{ params.name }}", anything: "{{ params.not_declared }}" }
    model: { group: economy, max_tokens: 512 }
    confidence_threshold: 0.7
  - id: fetch-urls
    transform: { inputs: [{ from: greet }], ops: [{ map: { expr: "{ id: id, text: body }" } }, { flatten: {} }, { deduplicate: { field: url } }, { sort: { field: score, order: desc } }] }
    output: { schema: { type: object } }
  - id: score_urls
    agent: ./agents/searcher.agent.yaml
    params: { url: "{{ item }}", index: "{{ item_index }}", api_key: "{{ env.WIKI_API_KEY }}" }
    for_each: { from: "fetch-urls.result", concurrency: 10, max_failures: -1 }
    depends_on: [fetch-urls]
  - id: child
    workflow: ./sub/child.workflow.yaml
    params: { text: "{{ step.greet.greeting }}" }
    condition: "step.fetch-urls.result != null"
  - id: post-result
    webhook: { url: "{{ env.HOOK }}", method: POST, body: { result: "{{ step.score_urls.results }}" } }
    condition: "step.greet.valid == \`true\`"
model_policy: { cost_budget_usd: 0.50, timeout_s: 60, force_group: economy, group_map: { frontier: standard } }
`,
  "workflows/sub/child.workflow.yaml": `
kind: workflow
name: child
visibility: sub-workflow
webhooks: execute
params: { schema: { type: object, required: [text], properties: { text: { type: string } } } }
pipeline:
  - { id: t, transform: { ops: [] } }
`,
  "environments/dev.env.yaml": `
name: dev
variables: { API_BASE_URL: "https://api.dev.local" }
state: { driver: sqlite, dsn: dev.db }
`,
};

it("a project in the original's documented form loads", () => {
  const { project, problems } = fixture.load(FILES, { env: "dev" });
  expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
  expect(project?.workflows.main?.steps.map((step) => [step.id, step.dependsOn])).toEqual([
    ["greet", []],
    ["fetch-urls", ["greet"]],
    ["score_urls", ["fetch-urls"]],
    ["child", ["greet", "fetch-urls"]],
    ["post-result", ["greet", "score_urls"]],
  ]);
  expect(project?.agents.searcher?.servers.map((server) => [server.name, server.server.origin])).toEqual([
    ["wiki-search", "local"],
    ["scorer", "marketplace"],
  ]);
  expect(project?.agents.searcher?.subagents.map((subagent) => subagent.agent.name)).toEqual(["greeter"]);
});

it("what is accepted without effect, or better written otherwise, is a warning", () => {
  const { problems } = fixture.load(FILES, { env: "dev" });
  expect(problems.map((problem) => `${problem.file} ${problem.path}: ${problem.message}`)).toEqual([
    "environments/dev.env.yaml state: this field is not used",
    "servers.yaml servers[0].auth.secret: the secret itself stands in the file, where everyone who reads the repository can see it",
    'workflows/main.workflow.yaml pipeline[4].condition: step.greet has no field "valid" in its schema',
  ]);
});

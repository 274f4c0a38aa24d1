/** Breaks the demo in many ways, one at a time. The message must name the place, the mistake and the remedy. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadProject } from "./load-project";
import { formatProblem } from "./problem";

const DEMO = path.resolve(import.meta.dirname, "../../kimitsu");

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kimitsu-broken-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Break = [what: string, file: string, from: string, to: string, firstProblem: string];

const TRIAGE = "agents/triage.agent.yaml";
const CLERK = "agents/clerk.agent.yaml";
const SHOP = "servers/shop.server.yaml";
const SUPPORT = "workflows/support.workflow.yaml";
const ROUND = "workflows/morning-round.workflow.yaml";
const TELL = "workflows/sub/tell-desk.workflow.yaml";

const CODING = "profiles/coding.profile.yaml";

const BREAKS: Break[] = [
  [
    "a profile's secret that is not marked",
    CODING,
    "SHOP_KEY, secret: true,",
    "SHOP_KEY,",
    "kimitsu/profiles/coding.profile.yaml:11  secret chain broken\n  env SHOP_KEY of profile coding (NOT secret)  →  server shop.params.api_key (secret)  →  auth\n  add `secret: true` to env[0] (SHOP_KEY)",
  ],
  [
    "a param in a profile, which has none",
    CODING,
    "{{ env.SHOP_KEY }}",
    "{{ params.SHOP_KEY }}",
    'kimitsu/profiles/coding.profile.yaml:16:24 servers[0].params.api_key: "{{ params.SHOP_KEY }}": "params" cannot be used here; what can is env.…; a profile has no params and no steps: declare a variable under `env` and write "{{ env.NAME }}"',
  ],
  [
    "a misspelt field",
    CLERK,
    "self_approval: true ",
    "self_aproval: true ",
    'kimitsu/agents/clerk.agent.yaml:39:13 servers[0].access.allowlist[3].require_approval: unknown field "self_aproval"; did you mean "self_approval"?',
  ],
  [
    "a misspelt field at the top",
    TRIAGE,
    "max_turns: 6",
    "max_turn: 6",
    'kimitsu/agents/triage.agent.yaml:6:1: unknown field "max_turn"; did you mean "max_turns"?',
  ],
  [
    "a missing field",
    TRIAGE,
    "model: economy\n",
    "",
    'kimitsu/agents/triage.agent.yaml:3:1: the field "model" is missing; add `model:` (text): Model group of `gateway.yaml`',
  ],
  [
    "a value that is not allowed",
    CLERK,
    "on_reject: recover",
    "on_reject: recovr",
    'kimitsu/agents/clerk.agent.yaml:41:24 servers[0].access.allowlist[3].require_approval.on_reject: "recovr" is not allowed; did you mean "recover"? allowed: "fail", "recover", "retry", "skip", "degrade"',
  ],
  [
    "approval by the passing of time",
    CLERK,
    "timeout_behavior: reject # no",
    "timeout_behavior: approve # no",
    'kimitsu/agents/clerk.agent.yaml:44:31 servers[0].access.allowlist[3].require_approval.timeout_behavior: must be "fail" or "reject"; a call is never approved by the passing of time',
  ],
  [
    "a duration without unit",
    CLERK,
    "timeout: 2h",
    "timeout: 120",
    'kimitsu/agents/clerk.agent.yaml:43:22 servers[0].access.allowlist[3].require_approval.timeout: the number 120 has no unit; write a whole number and a unit (ms, s, m, h, d), such as "45s", "30m", "2h" or "7d"',
  ],
  [
    "a duration that is none",
    SHOP,
    "timeout: 20s",
    "timeout: 20 seconds",
    'kimitsu/servers/shop.server.yaml:16:10 timeout: "20 seconds" is not a duration; write a whole number and a unit (ms, s, m, h, d), such as "45s", "30m", "2h" or "7d"',
  ],
  [
    "text where a number belongs",
    TRIAGE,
    "max_turns: 6",
    "max_turns: six",
    'kimitsu/agents/triage.agent.yaml:6:12 max_turns: expected a number, got "six"',
  ],
  [
    "a number where text belongs",
    SUPPORT,
    'version: "1.0.0"',
    "version: 1.0",
    "kimitsu/workflows/support.workflow.yaml:6:10 version: expected text, got 1; put it in quotes",
  ],
  [
    "an unknown model group",
    TRIAGE,
    "model: economy",
    "model: econmy",
    'kimitsu/agents/triage.agent.yaml:5:8 model: no model group "econmy"; did you mean "economy"?',
  ],
  [
    "an unknown group of approvers",
    CLERK,
    "approvers: [privacy]",
    "approvers: [privcy]",
    'kimitsu/agents/clerk.agent.yaml:48:25 servers[0].access.allowlist[4].require_approval.approvers[0]: no role or group "privcy"; did you mean "privacy"?',
  ],
  [
    "a wildcard in the middle",
    TRIAGE,
    "orders-read,",
    '"*-read",',
    'kimitsu/agents/triage.agent.yaml:28:35 servers[0].access.allowlist[1]: a "*" may stand only at the end ("crm-read-*"), or alone',
  ],
  [
    "a condition on arguments that is no JMESPath",
    CLERK,
    'when: "amount > `25`"    #',
    'when: "amount > > 25"    #',
    'kimitsu/agents/clerk.agent.yaml:35:19 servers[0].access.allowlist[3].require_approval.when: not a JMESPath expression: invalid token (GT): ">" (at character 10)',
  ],
  [
    "an agent file that is not there",
    SUPPORT,
    "./agents/clerk.agent.yaml",
    "./agents/klerk.agent.yaml",
    'kimitsu/workflows/support.workflow.yaml:30:12 pipeline[1].agent: no agent file "./agents/klerk.agent.yaml"; did you mean "agents/clerk.agent.yaml"?',
  ],
  [
    "a sub-workflow that is not there",
    SUPPORT,
    "./sub/tell-desk.workflow.yaml",
    "./sub/tell-desk.yaml",
    'kimitsu/workflows/support.workflow.yaml:35:15 pipeline[2].workflow: no workflow file "./sub/tell-desk.yaml"; did you mean "workflows/sub/tell-desk.workflow.yaml"?',
  ],
  [
    "a server file that is not there",
    CLERK,
    "path: servers/shop.server.yaml",
    "path: servers/shpo.server.yaml",
    'kimitsu/agents/clerk.agent.yaml:26:11 servers[0].path: no server file "servers/shpo.server.yaml"; did you mean "servers/shop.server.yaml"?',
  ],
  [
    "a local server by name alone",
    CLERK,
    "    path: servers/shop.server.yaml\n",
    "",
    'kimitsu/agents/clerk.agent.yaml:25:11 servers[0].name: server "shop" has a file of its own, so it is referred to by path; add `path: servers/shop.server.yaml`',
  ],
  [
    "a param that the agent does not have",
    SUPPORT,
    'params: { ticket_id: "{{ params.ticket_id }}", shop',
    'params: { ticketid: "{{ params.ticket_id }}", shop',
    'kimitsu/workflows/support.workflow.yaml:27:15 pipeline[0].params.ticketid: agent triage has no param "ticketid"; did you mean "ticket_id"?',
  ],
  [
    "a param that is not given",
    SUPPORT,
    'params: { findings: "{{ step.look-into }}", ',
    "params: { ",
    'kimitsu/workflows/support.workflow.yaml:31:5 pipeline[1].params: agent clerk needs the param "findings"; add `findings:` here',
  ],
  [
    "a param of the wrong type",
    SUPPORT,
    'findings: "{{ step.look-into }}"',
    'findings: "{{ step.look-into.summary }}"',
    "kimitsu/workflows/support.workflow.yaml:31:25 pipeline[1].params.findings: the param findings of agent clerk must be an object, but {{ step.look-into.summary }} gives a string",
  ],
  [
    "a step that is not there",
    SUPPORT,
    "{{ step.look-into }}",
    "{{ step.look-in }}",
    'kimitsu/workflows/support.workflow.yaml:31:25 pipeline[1].params.findings: no step "look-in"; did you mean "look-into"?',
  ],
  [
    "a circle of steps",
    SUPPORT,
    "  - id: look-into\n",
    "  - id: look-into\n    depends_on: [tell-desk]\n",
    'kimitsu/workflows/support.workflow.yaml:25:5 pipeline[0]: steps wait for each other in a circle: look-into → tell-desk → act → look-into; an arrow means "needs the output of"; remove one of these references',
  ],
  [
    "a step of two kinds",
    SUPPORT,
    "  - id: tell-desk\n",
    "  - id: tell-desk\n    agent: ./agents/clerk.agent.yaml\n",
    "kimitsu/workflows/support.workflow.yaml:36:5 pipeline[2]: the step has `agent` and `workflow`; a step has exactly one of `agent`, `transform`, `webhook`, `workflow`; split it into several steps",
  ],
  [
    "a step of no kind",
    SUPPORT,
    "    agent: ./agents/triage.agent.yaml\n",
    "",
    "kimitsu/workflows/support.workflow.yaml:25:5 pipeline[0]: the step does nothing; give exactly one of `agent`, `transform`, `webhook`, `workflow`",
  ],
  [
    "two steps of one name",
    SUPPORT,
    "- id: act ",
    "- id: look-into ",
    'kimitsu/workflows/support.workflow.yaml:29:9 pipeline[1].id: the name "look-into" is taken by another step; the other one is on line 25; choose a different name',
  ],
  [
    "a variable that is not declared",
    SUPPORT,
    "{{ env.DESK_HOOK_URL }}",
    "{{ env.DESK_HOOK }}",
    'kimitsu/workflows/support.workflow.yaml:36:24 pipeline[2].input.hook_url: the variable "DESK_HOOK" is not declared; did you mean "DESK_HOOK_URL"?',
  ],
  [
    "env in a sub-workflow",
    TELL,
    "{{ params.hook_url }}",
    "{{ env.DESK_HOOK_URL }}",
    'kimitsu/workflows/sub/tell-desk.workflow.yaml:22:12 pipeline[0].webhook.url: "{{ env.DESK_HOOK_URL }}": "env" cannot be used here; what can is params.…, step.…; a sub-workflow has no `env`; pass the value as a param from the parent workflow',
  ],
  [
    "a template in the system prompt",
    TRIAGE,
    "You look into support tickets",
    "You look into {{ params.ticket_id }}",
    'kimitsu/agents/triage.agent.yaml:18:11 prompt.system: "{{ params.ticket_id }}": templates cannot be used here; prompt.system must be static so that providers can cache it; move this to prompt.user',
  ],
  [
    "a template that is not closed",
    TRIAGE,
    "{{ params.ticket_id }}.",
    "{{ params.ticket_id }.",
    'kimitsu/agents/triage.agent.yaml:21:9 prompt.user: the "{{" is never closed with "}}"; write {{ params.name }}, or \\{{ for the characters themselves',
  ],
  [
    "item outside of a fan-out",
    SUPPORT,
    'ticket_id: "{{ params.ticket_id }}", shop_key',
    'ticket_id: "{{ item }}", shop_key',
    'kimitsu/workflows/support.workflow.yaml:27:26 pipeline[0].params.ticket_id: "{{ item }}": "item" cannot be used here; what can is params.…, env.…, step.…; `item` exists only in a step with `for_each`',
  ],
  [
    "braces in a condition",
    SUPPORT,
    "\"step.look-into.category != 'not_found'\"",
    "\"{{ step.look-into.category }} != 'not_found'\"",
    'kimitsu/workflows/support.workflow.yaml:32:16 pipeline[1].condition: "{{ step.look-into.category }}": templates cannot be used here; expressions are bare JMESPath: write step.ID.FIELD without braces',
  ],
  [
    "the older form of a variable",
    SHOP,
    '"{{ params.api_key }}"',
    '"env:SHOP_KEY"',
    'kimitsu/servers/shop.server.yaml:9:11 auth.secret: "env:SHOP_KEY" is no longer supported; declare a param marked `secret: true`, let the agent pass it, and write "{{ params.shop_key }}"',
  ],
  [
    "a secret that is not marked in the agent",
    TRIAGE,
    "shop_key: { type: string, secret: true }",
    "shop_key: { type: string }",
    "kimitsu/agents/triage.agent.yaml:14  secret chain broken\n  env SHOP_KEY (secret)  →  agent triage.params.shop_key (NOT secret)  →  server shop.params.api_key (secret)  →  auth\n  add `secret: true` to params.schema.properties.shop_key",
  ],
  [
    "a secret that is not marked in the workflow",
    SUPPORT,
    "SHOP_KEY, secret: true,",
    "SHOP_KEY,",
    "kimitsu/workflows/support.workflow.yaml:21  secret chain broken\n  env SHOP_KEY (NOT secret)  →  agent triage.params.shop_key (secret)  →  server shop.params.api_key (secret)  →  auth\n  add `secret: true` to env[0] (SHOP_KEY)",
  ],
  [
    "a secret in a prompt",
    TRIAGE,
    "{{ params.ticket_id }}.",
    "{{ params.ticket_id }} with {{ params.shop_key }}.",
    "kimitsu/agents/triage.agent.yaml:21  a secret would be shown\n  env SHOP_KEY (secret)  →  agent triage.params.shop_key (secret)  →  prompt.user of triage (NOT a place for secrets)\n  remove it from prompt.user: a secret may be used only in `auth` and in webhooks",
  ],
  [
    "a process as a tool server",
    SHOP,
    'url: "http://127.0.0.1:4100/mcp" ',
    "transport: stdio\ncommand: shop ",
    "kimitsu/servers/shop.server.yaml:4:12 transport: this deployment does not allow tool servers as processes (stdio); offer the server over HTTP, or set KIMITSU_ALLOW_STDIO=1 where Kimitsu runs",
  ],
  [
    "the mode bypass",
    CLERK,
    "permissions:\n",
    "permissions:\n  mode: bypass\n",
    'kimitsu/agents/clerk.agent.yaml:58:9 permissions.mode: this deployment does not allow the mode "bypass"; use "default", or set KIMITSU_ALLOW_BYPASS=1 where Kimitsu runs',
  ],
  [
    "a JSON Schema with a misspelt keyword",
    TRIAGE,
    "minimum: 0, maximum: 3",
    "minimum: 0, maximun: 3",
    'kimitsu/agents/triage.agent.yaml:39:45 output.schema.properties.urgency.maximun: unknown JSON Schema keyword "maximun"; did you mean "maximum"?',
  ],
  [
    "a JSON Schema with a wrong type",
    TRIAGE,
    "ticket_id: { type: string }\n      customer",
    "ticket_id: { type: strin }\n      customer",
    'kimitsu/agents/triage.agent.yaml:35:26 output.schema.properties.ticket_id.type: not a valid JSON Schema: "strin" is not allowed; did you mean "string"?',
  ],
  [
    "a model of an unknown provider",
    "gateway.yaml",
    "models: [demo/support]\n    pricing: [{ model: support, input_per_million: 3",
    "models: [demos/support]\n    pricing: [{ model: support, input_per_million: 3",
    'kimitsu/gateway.yaml:12:14 model_groups[0].models[0]: no provider "demos"; did you mean "demo"?',
  ],
  [
    "a script that is not there",
    "gateway.yaml",
    "models/support.script.yaml",
    "models/suport.script.yaml",
    'kimitsu/gateway.yaml:8:23 providers[0].config.script: no script "models/suport.script.yaml"; did you mean "models/support.script.yaml"?',
  ],
  [
    "a tab",
    SUPPORT,
    "    params: { findings",
    "\tparams: { findings",
    "kimitsu/workflows/support.workflow.yaml:31:1: a tab is used to indent; YAML indents with spaces",
  ],
  [
    "a missing quote",
    SUPPORT,
    "\"step.look-into.category != 'not_found'\"",
    "\"step.look-into.category != 'not_found'",
    "kimitsu/workflows/support.workflow.yaml:33:1: something is not closed before this place; look for a missing quote or bracket on the lines above",
  ],
  [
    "a colon in plain text",
    CLERK,
    'description: "What triage found"',
    "description: What: triage found",
    "kimitsu/agents/clerk.agent.yaml:12:46: a `: ` or `- ` makes a new field inside of { } or [ ]; put text that contains it in quotes",
  ],
  [
    "a transform on an expression that is none",
    ROUND,
    'expr: "!ktsu_error"',
    'expr: "!ktsu_error &"',
    "kimitsu/workflows/morning-round.workflow.yaml:32:27 pipeline[1].transform.ops[0].filter.expr: not a JMESPath expression: unexpected token type: Expref, value: & (at character 13)",
  ],
  [
    "a fan-out over nothing that exists",
    ROUND,
    'from: "{{ params.tickets }}"',
    'from: "{{ params.ticket }}"',
    'kimitsu/workflows/morning-round.workflow.yaml:26:23 pipeline[0].for_each.from: the workflow declares no param "ticket"; did you mean "tickets"?',
  ],
  [
    "an operation that is none",
    ROUND,
    "- sort: { field: urgency, order: desc }",
    "- srot: { field: urgency, order: desc }",
    'kimitsu/workflows/morning-round.workflow.yaml:33:11 pipeline[1].transform.ops[1]: unknown field "srot"; did you mean "sort"?',
  ],
  [
    "a reserved name",
    SHOP,
    "name: shop\n",
    "name: kimitsu-shop\n",
    'kimitsu/servers/shop.server.yaml:2:7 name: names that begin with "kimitsu-" are reserved for built-in servers; choose another name, such as "my-kimitsu-shop"',
  ],
  [
    "a server name with capitals",
    SHOP,
    "name: shop\n",
    "name: Shop\n",
    'kimitsu/servers/shop.server.yaml:2:7 name: a server name has only lower-case letters, digits and hyphens, such as "wiki-search"',
  ],
  [
    "a server param that nobody gives",
    CLERK,
    '    params: { api_key: "{{ params.shop_key }}" }\n',
    "",
    'kimitsu/workflows/support.workflow.yaml:29:5 pipeline[1]: server shop of agent clerk needs the param "api_key", which nobody gives; add it under servers[0].params in agents/clerk.agent.yaml, or under params.server.shop here',
  ],
];

function breakDemo([, file, from, to]: Break): string[] {
  const root = path.join(folder, String((count += 1)), "kimitsu");
  mkdirSync(path.dirname(root), { recursive: true });
  cpSync(DEMO, root, { recursive: true });
  const text = readFileSync(path.join(root, file), "utf8");
  expect(text, `${file} no longer contains what this case replaces`).toContain(from);
  writeFileSync(
    path.join(root, file),
    text.replace(from, () => to),
  );
  const { problems } = loadProject(root, { deployment: { allowStdio: false, allowBypass: false }, processEnv: {} });
  return problems.filter((problem) => problem.severity === "error").map((problem) => formatProblem(problem, "kimitsu"));
}

it.each(BREAKS)("%s", (...broken) => {
  expect(breakDemo(broken)[0]).toBe(broken[4]);
});

it("the demo itself has nothing to report, warnings included", () => {
  const { project, problems } = loadProject(DEMO, {
    deployment: { allowStdio: false, allowBypass: false },
    processEnv: {},
  });
  expect(problems).toEqual([]);
  expect(project).not.toBeNull();
});

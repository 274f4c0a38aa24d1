/** A project in which every kind of secret is used, among servers, webhooks and providers that return all they get. */
import { randomBytes } from "node:crypto";
import { waysToFail } from "./ways-to-fail";

/** With the characters that each encoding writes differently. */
const sentinel = (name: string) => `snt-${name}-${randomBytes(6).toString("hex")}/+&"~`;

export function makeSecrets() {
  return {
    /** A variable, given to the server of tools as its credential. */
    SVC_TOKEN: sentinel("svc"),
    /** A variable, sent with a webhook in address, header and body. */
    HOOK_KEY: `snt-hook-${randomBytes(8).toString("hex")}`,
    /** A variable, the key that messages to a channel are signed with. */
    CHANNEL_KEY: sentinel("channel"),
    /** A provider's key. */
    PROVIDER_KEY: sentinel("provider"),
    /** The secret with which a workflow can be started from outside. */
    INVOKE_SECRET: sentinel("invoke"),
    AUTH_SECRET: sentinel("auth-secret-of-this-installation"),
    AUTH_GITHUB_SECRET: sentinel("github"),
    KIMITSU_ADMIN_PASSWORD: sentinel("admin-password"),
  };
}

export interface Places {
  recorder: string;
  hostile: string;
  shut: string;
  hook: string;
  badHook: string;
  provider: string;
}

export interface ProjectSecrets {
  SVC_TOKEN: string;
  /** Written in a server's file, in backticks. */
  literal: string;
  /** Written in files where a variable should be named: a provider's key, the key of a channel's signature. */
  plainKey: string;
  plainSignature: string;
  /** An argument that only its name marks. */
  named: string;
}

const quote = (text: string) => JSON.stringify(text);

export function leakProject(at: Places, secrets: ProjectSecrets): Record<string, string> {
  return {
    ...waysToFail(secrets.SVC_TOKEN).files,
    "gateway.yaml": `env: [{ name: PROVIDER_KEY, secret: true }]
providers:
  - { name: play, type: scripted, config: { script: models/play.script.yaml } }
  - { name: spare, type: openai-compatible, config: { base_url: "${at.provider}/v1", api_key: ${quote(secrets.plainKey)}, max_retries: 0 } }
  - { name: fails, type: scripted, config: { script: models/fails.script.yaml } }
  - { name: paid, type: openai-compatible, config: { base_url: "${at.provider}/v1", api_key: "{{ env.PROVIDER_KEY }}", max_retries: 0 } }
model_groups:
  - { name: standard, models: [play/m] }
  - { name: fails, models: [fails/m], pricing: [{ model: m, input_per_million: 1, output_per_million: 1 }] }
  - { name: paid, models: [paid/m] }
  - { name: spare, models: [spare/m] }
`,
    "policy.yaml": `env: [{ name: CHANNEL_KEY, secret: true }, { name: HOOK_KEY, secret: true }]
groups: { finance: {} }
channels:
  - { name: program, type: webhook, url: "${at.hook}/told", secret: "{{ env.CHANNEL_KEY }}", events: [approval.requested, approval.decided, call.outcome_unknown, run.failed, run.needs_human_review] }
  - { name: refusing, type: slack, url: "${at.badHook}/{{ env.HOOK_KEY }}", events: [approval.requested, run.failed] }
  - { name: plain, type: webhook, url: "${at.hook}/told", secret: ${quote(secrets.plainSignature)}, events: [run.needs_human_review] }
  - { name: letters, type: email, events: [approval.requested, approval.decided, call.outcome_unknown, run.failed, run.needs_human_review] }
  - { name: desktop, type: browser, events: [approval.requested] }
`,
    "models/play.script.yaml": `agents:
  worker:
    turns:
      - say: "I look around."
        call: [{ tool: echo-headers, arguments: {} }, { tool: fail-protocol, arguments: {} }, { tool: fail-result, arguments: {} }, { tool: act, arguments: { as: failure } }, { tool: act, arguments: { as: error } }, { tool: act, arguments: {} }]
      - call: [{ tool: t-none, arguments: { text: ${quote(`the key is ${secrets.SVC_TOKEN}`)} } }]
      - say: ${quote(`I set the password ${secrets.named}.`)}
        call: [{ tool: echo, arguments: { user: ana, password: ${quote(secrets.named)} } }]
      - call: [{ tool: drop-after, arguments: { n: 1 } }, { tool: structured-invalid, arguments: {} }]
    otherwise: { output: { told: "{{ results.echo-headers }}", found: "{{ results.act }}" } }
  idle:
    otherwise: { output: { ok: true } }
`,
    "servers/recorder.server.yaml": `name: recorder
url: "${at.recorder}"
auth: { header: X-Api-Key, scheme: raw, secret: "{{ params.token }}" }
params: { token: { secret: true }, extra: { secret: true } }
`,
    "servers/hostile.server.yaml": `name: hostile\nurl: "${at.hostile}"\nauth: { secret: ${quote(`\`${secrets.literal}\``)} }\n`,
    "servers/shut.server.yaml": `name: shut\nurl: "${at.shut}"\nauth: { scheme: bearer, secret: "{{ params.token }}" }\nparams: { token: { secret: true } }\n`,
    "agents/worker.agent.yaml": `name: worker
model: standard
prompt: { system: "Work.", user: "Go." }
params: { schema: { type: object, properties: { token: { type: string, secret: true }, extra: { type: string, secret: true } } } }
servers:
  - name: recorder
    path: servers/recorder.server.yaml
    params: { token: "{{ params.token }}", extra: "{{ params.extra }}" }
    access: { allowlist: [echo-headers, fail-protocol, fail-result, structured-invalid, drop-after, t-none, { name: echo, require_approval: { on_reject: recover, timeout: 30m, timeout_behavior: reject } }] }
  - { name: hostile, path: servers/hostile.server.yaml, access: { allowlist: [act] } }
`,
    "profiles/coding.profile.yaml": `name: coding
env: [{ name: SVC_TOKEN, secret: true }, { name: HOOK_KEY, secret: true }]
servers:
  - path: servers/recorder.server.yaml
    params: { token: "{{ env.SVC_TOKEN }}", extra: "{{ env.HOOK_KEY }}" }
    access: { allowlist: [echo-headers, fail-protocol, fail-result, structured-invalid, drop-after, t-none, { name: echo, require_approval: { timeout: 30m } }] }
hold: { task: 0s, progress: 0s, plain: 0s }
`,
    "agents/idle.agent.yaml": 'name: idle\nmodel: standard\nprompt: { system: "Rest.", user: "Go." }\n',
    "agents/payer.agent.yaml": 'name: payer\nmodel: paid\nprompt: { system: "Work.", user: "Go." }\n',
    "agents/locked.agent.yaml": `name: locked
model: standard
prompt: { system: "Work.", user: "Go." }
params: { schema: { type: object, properties: { token: { type: string, secret: true } } } }
servers: [{ name: shut, path: servers/shut.server.yaml, params: { token: "{{ params.token }}" } }]
`,
    "workflows/main.workflow.yaml": `kind: workflow
name: main
env: [{ name: SVC_TOKEN, secret: true }, { name: HOOK_KEY, secret: true }]
params: { schema: { type: object, required: [pin], properties: { pin: { type: string, minLength: 8, secret: true }, note: { type: string } } } }
pipeline:
  - { id: work, agent: ./agents/worker.agent.yaml, params: { token: "{{ env.SVC_TOKEN }}", extra: "{{ params.pin }}" } }
  - { id: notify, depends_on: [work], webhook: { url: "${at.hook}/{{ env.HOOK_KEY }}", secret: "{{ env.HOOK_KEY }}", headers: { X-Pin: "{{ params.pin }}" }, body: { key: "{{ env.HOOK_KEY }}", told: "{{ step.work.told }}" } } }
`,
    "workflows/hook-fails.workflow.yaml": `kind: workflow
name: hook-fails
env: [{ name: HOOK_KEY, secret: true }]
pipeline:
  - { id: notify, webhook: { url: "${at.badHook}/{{ env.HOOK_KEY }}", headers: { Authorization: "Bearer {{ env.HOOK_KEY }}" }, body: { key: "{{ env.HOOK_KEY }}" } } }
`,
    "workflows/paid.workflow.yaml":
      "kind: workflow\nname: paid\npipeline: [{ id: work, agent: ./agents/payer.agent.yaml }]\n",
    "workflows/locked.workflow.yaml": `kind: workflow
name: locked
env: [{ name: SVC_TOKEN, secret: true }]
pipeline: [{ id: work, agent: ./agents/locked.agent.yaml, params: { token: "{{ env.SVC_TOKEN }}" } }]
`,
    "workflows/door.workflow.yaml": `kind: workflow
name: door
env: [{ name: INVOKE_SECRET, secret: true }]
invoke: { auth: { header: X-Api-Secret, scheme: raw, secret: "{{ env.INVOKE_SECRET }}" } }
params: { schema: { type: object, properties: { n: { type: integer } } } }
pipeline: [{ id: work, agent: ./agents/idle.agent.yaml }]
`,
  };
}

import { afterAll, describe, expect, it } from "vitest";
import { ProjectFixture, SMALL_PROJECT, type Files } from "@/lib/config/project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const AGENT = "agents/triage.agent.yaml";
const SERVER = "servers/crm.server.yaml";
const WORKFLOW = "workflows/support.workflow.yaml";

/** The small project with some fields of some files replaced; a file that it does not have is added. */
function changed(changes: Record<string, Record<string, unknown>>): Files {
  const base: Files = { ...SMALL_PROJECT };
  for (const [file, fields] of Object.entries(changes))
    base[file] = { ...(base[file] as object | undefined), ...fields };
  return base;
}

const problems = (changes: Record<string, Record<string, unknown>>, options = {}) =>
  fixture.problems(changed(changes), options);
const steps = (...pipeline: unknown[]) => ({ [WORKFLOW]: { pipeline } });
const transform = (id: string, more: object = {}) => ({ id, transform: { ops: [] }, ...more });
const servers = (entry: object) => ({ [AGENT]: { servers: [{ name: "crm", path: SERVER, ...entry }] } });
const rule = (require_approval: object) => servers({ access: { allowlist: [{ name: "delete", require_approval }] } });
const sub = (name: string, more: object = {}) => ({
  kind: "workflow",
  name,
  visibility: "sub-workflow",
  pipeline: [transform("t")],
  ...more,
});

it("the small project has no problems", () => {
  expect(problems({})).toEqual([]);
});

type Case = [string, Record<string, Record<string, unknown>>, string[]];

describe("retention", () => {
  const keep = (retention: object) => problems({ "policy.yaml": { retention } });

  it("keeps the trail at least as long as its runs", () => {
    expect(keep({ runs: "90d", audit: "7y" })).toEqual([]);
    expect(keep({ runs: "90d" })).toEqual([]);
    const early = "policy.yaml retention.audit: the audit trail would end before the runs that it tells of";
    expect(keep({ runs: "1y", audit: "365d" })).toEqual([`${early}; keep \`audit\` at least as long as \`runs\``]);
    expect(keep({ audit: "7y" })).toEqual([`${early}; add \`runs\`, such as \`90d\``]);
  });

  it("is given in days or years", () => {
    expect(keep({ runs: "2h" })).toEqual([
      'policy.yaml retention.runs: "2h" is not an age; write a whole number and a unit (d, y), such as "90d" or "7y"',
    ]);
  });
});

describe("servers", () => {
  it.each<Case>([
    [
      "need a url",
      { [SERVER]: { url: undefined } },
      [`${SERVER}: the field "url" is missing; give the address of the MCP server, such as https://mcp.internal/wiki`],
    ],
    [
      "have no command unless they are processes",
      { [SERVER]: { command: "x" } },
      [`${SERVER} command: "command" belongs to \`transport: stdio\`; remove it, or set the transport`],
    ],
    [
      "refer in auth to a declared param",
      { [SERVER]: { auth: { secret: "{{ params.kye }}" }, params: { key: { default: "x" } } } },
      [`${SERVER} auth.secret: the server declares no param "kye"; did you mean "key"?`],
    ],
    [
      "warn about a secret that stands in the file",
      { [SERVER]: { auth: { secret: "`abc`" } } },
      [
        `${SERVER} auth.secret: warning: the secret itself stands in the file, where everyone who reads the repository can see it; pass it through a param: "{{ params.NAME }}"`,
      ],
    ],
    [
      "do not take a bare literal as secret",
      { [SERVER]: { auth: { secret: "abc" } } },
      [
        `${SERVER} auth.secret: expected a reference to a secret param, or a literal in backticks; write "{{ params.NAME }}" and mark the param \`secret: true\``,
      ],
    ],
    [
      "hold no templates in other fields",
      { [SERVER]: { url: "https://{{ params.region }}.internal" } },
      [
        `${SERVER} url: "{{ params.region }}": templates cannot be used here; values in a server file are literals; only \`auth.secret\`, \`env\` and \`summary\` are filled in`,
      ],
    ],
    [
      "leave a credential out of their list only if they have one",
      { [SERVER]: { list_auth: "none" } },
      [
        `${SERVER} list_auth: the server has no credential that could be left out; remove \`list_auth\`, or add \`auth\``,
      ],
    ],
    [
      "have one name each",
      { "servers/other.server.yaml": { name: "crm", url: "https://x.internal" } },
      [
        'servers/other.server.yaml name: the name "crm" is taken by another server; the other one is in servers/crm.server.yaml:2; choose a different name',
      ],
    ],
    [
      "of servers.yaml have names of their own too",
      { "servers.yaml": { servers: [{ name: "crm", url: "https://x.internal" }] } },
      [
        `${SERVER} name: the name "crm" is taken by another server; the other one is in servers.yaml:4; choose a different name`,
      ],
    ],
    [
      "have a rate limit that can be read",
      { [SERVER]: { rate_limit: "100 per minute" } },
      [`${SERVER} rate_limit: expected a number per second, minute, hour or day, such as "100/minute"`],
    ],
  ])("%s", (_name, changes, expected) => expect(problems(changes)).toEqual(expected));

  it("that are wrong in themselves are not reported again where a step gives them params", () => {
    const step = {
      id: "sort",
      agent: AGENT,
      params: { message: "{{ params.message }}", server: { crm: { region: "us" } } },
    };
    expect(problems({ ...steps(step) })).toEqual([]);
    expect(problems({ ...steps(step), [SERVER]: { rate_limit: "often" } })).toEqual([
      expect.stringContaining(`${SERVER} rate_limit: expected a number per`),
    ]);
  });

  it("of servers.yaml are found by name", () => {
    const entry = (name: string, params = {}) => ({ [AGENT]: { servers: [{ name, params }] } });
    const shared = { "servers.yaml": { servers: [{ name: "wiki", url: "https://wiki.internal" }] } };
    expect(problems({ ...entry("wiki"), ...shared })).toEqual([]);
    expect(problems({ ...entry("wikki"), ...shared })[0]).toContain(
      'no server "wikki" in servers.yaml; did you mean "wiki"?',
    );
  });

  it("as processes are allowed where the deployment allows them", () => {
    const stdio = {
      [SERVER]: { url: undefined, transport: "stdio", command: "crm", env: { REGION: "{{ params.region }}" } },
    };
    expect(problems(stdio, { deployment: { allowStdio: true, allowBypass: false } })).toEqual([]);
    expect(problems(stdio)[0]).toContain("KIMITSU_ALLOW_STDIO=1");
    const unlisted = { [SERVER]: { ...stdio[SERVER], list_auth: "none" } };
    expect(problems(unlisted, { deployment: { allowStdio: true, allowBypass: false } })[0]).toContain(
      "list_auth: a process (stdio) gets its secrets when it is started",
    );
  });
});

describe("agents", () => {
  it.each<Case>([
    [
      "have each server once",
      { [AGENT]: { servers: [{ path: SERVER }, { path: SERVER }] } },
      [
        `${AGENT} servers[1]: the agent already has a server "crm" (servers[0]); its tools would have the same names; give one of them another name`,
      ],
    ],
    [
      "name a server or its file",
      { [AGENT]: { servers: [{}] } },
      [
        `${AGENT} servers[0]: the entry names no server; give \`name\` (an entry of servers.yaml or a built-in) or \`path\` (a file in servers/)`,
      ],
    ],
    [
      "give only params that the server has",
      servers({ params: { regoin: "us" } }),
      [`${AGENT} servers[0].params.regoin: server crm has no param "regoin"; did you mean "region"?`],
    ],
    [
      "use only params that they declare",
      servers({ params: { region: "{{ params.zone }}" } }),
      [`${AGENT} servers[0].params.region: the agent declares no param "zone"; declared: "message"`],
    ],
    [
      "do not declare a param named server",
      { [AGENT]: { params: { schema: { type: "object", properties: { message: {}, server: {} } } } } },
      [
        `${AGENT} params.schema.properties.server: a param cannot be named "server"; in workflow steps \`params.server\` holds overrides for tool servers; choose another name`,
      ],
    ],
    [
      "load only toolsets that their servers have",
      { [AGENT]: { toolsets: ["crm"] }, [SERVER]: { toolset: "crm-tools" } },
      [`${AGENT} toolsets[0]: none of the agent's servers has the toolset "crm"; toolsets of its servers: "crm-tools"`],
    ],
    [
      "do not loosen the project's policy",
      { [AGENT]: { permissions: { ask_from: "critical" } }, "policy.yaml": { permissions: { ask_from: "low" } } },
      [
        `${AGENT} permissions.ask_from: ask_from "critical" is looser than "low" of policy.yaml; an agent can only tighten what policy.yaml says; leave the field out, or change policy.yaml`,
      ],
    ],
    [
      "have one name each",
      { "agents/other.agent.yaml": { name: "triage", model: "standard", prompt: { system: "x" } } },
      [
        'agents/triage.agent.yaml name: the name "triage" is taken by another agent; the other one is in agents/other.agent.yaml:2; choose a different name',
      ],
    ],
    [
      "have params whose defaults fit",
      { [AGENT]: { params: { schema: { type: "object", properties: { message: { type: "string", default: 5 } } } } } },
      [
        `${AGENT} params.schema.properties.message.default: 5 does not fit its own schema: it must be string; change the default, or the schema`,
      ],
    ],
    [
      "have params of type object",
      { [AGENT]: { params: { schema: { properties: { message: {} } } } } },
      [
        `${AGENT} params.schema: params are given by name, so their schema must have \`type: object\`; add \`type: object\` and list them under \`properties\``,
      ],
    ],
    [
      "refer to no schema that would have to be fetched",
      { [AGENT]: { output: { schema: { $ref: "https://example.com/x.json" } } } },
      [
        `${AGENT} output.schema.$ref: "https://example.com/x.json" would have to be fetched; refer to a schema in the same place: "#/$defs/NAME"`,
      ],
    ],
  ])("%s", (_name, changes, expected) => expect(problems(changes)).toEqual(expected));

  it("that call each other in a circle are refused with the circle", () => {
    const child = {
      name: "child",
      model: "standard",
      prompt: { system: "x" },
      subagents: [AGENT],
      servers: [{ path: SERVER }],
    };
    expect(problems({ [AGENT]: { subagents: ["agents/child.agent.yaml"] }, "agents/child.agent.yaml": child })).toEqual(
      [
        "agents/child.agent.yaml subagents[0]: agents call each other in a circle: agents/child.agent.yaml → agents/triage.agent.yaml → agents/child.agent.yaml; remove one of the links",
      ],
    );
  });
});

describe("sub-agents", () => {
  const secret = { type: "object", properties: { key: { type: "string", secret: true } } };
  const child = {
    name: "child",
    model: "standard",
    prompt: { system: "x" },
    params: { schema: secret },
    servers: [{ path: SERVER }],
  };
  const parent = (entry: unknown, marked: boolean) => ({
    "agents/child.agent.yaml": child,
    [AGENT]: {
      subagents: [entry],
      params: {
        schema: {
          type: "object",
          properties: { message: { type: "string" }, token: { type: "string", secret: marked } },
        },
      },
    },
    [WORKFLOW]: {
      env: [{ name: "TOKEN", secret: true, default: "x" }],
      pipeline: [{ id: "sort", agent: AGENT, params: { message: "x", token: "{{ env.TOKEN }}" } }],
    },
  });
  const fixed = { path: "agents/child.agent.yaml", params: { key: "{{ params.token }}" } };

  it("get their secrets from their parent, never from the model", () => {
    expect(problems(parent(fixed, true))).toEqual([]);
    expect(problems(parent("agents/child.agent.yaml", true))[0]).toContain(
      'subagents[0]: the secret param "key" of agent child cannot come from the model',
    );
  });

  it("are part of the secret chain", () => {
    expect(problems(parent(fixed, false))[0]).toContain(
      "env TOKEN (secret)  →  agent triage.params.token (NOT secret)  →  agent child.params.key (secret)",
    );
  });
});

describe("approval rules", () => {
  const policy = {
    "policy.yaml": {
      groups: {
        finance: { members: ["ana@example.com"] },
        leads: { members: ["bo@example.com", "cy@example.com"] },
        open: {},
      },
    },
  };

  it("name roles and declared groups", () => {
    expect(
      problems({ ...rule({ approvers: ["finance", "admin"], escalate: { after: "10m", to: ["leads"] } }), ...policy }),
    ).toEqual([]);
    expect(problems({ ...rule({ escalate: { after: "10m", to: ["lead"] } }), ...policy })[0]).toContain(
      'escalate.to[0]: no role or group "lead"; did you mean "leads"?',
    );
  });

  it.each([
    ["approvers[0]", { approvers: ["viewer"] }],
    ["approvers[1]", { approvers: ["finance", "viewer"] }],
    ["escalate.to[0]", { escalate: { after: "10m", to: ["viewer"] } }],
  ])("do not name a role that can never decide: %s", (field, given) => {
    expect(problems({ ...rule(given), ...policy })).toEqual([
      `${AGENT} servers[0].access.allowlist[0].require_approval.${field}: the role "viewer" cannot decide; did you mean "reviewer"?`,
    ]);
  });

  it("of channels are checked in the same way", () => {
    const channels = [{ name: "desk", type: "browser", groups: ["viewer"] }];
    expect(problems({ "policy.yaml": { channels } })).toEqual([
      'policy.yaml channels[0].groups[0]: the role "viewer" cannot decide; did you mean "reviewer"?',
    ]);
  });

  it("that nobody can satisfy are refused", () => {
    expect(problems({ ...rule({ approvers: ["finance"], min_approvals: 2 }), ...policy })).toEqual([
      `${AGENT} servers[0].access.allowlist[0].require_approval.min_approvals: nobody can satisfy this rule: it needs 2 approvals, but finance has one member; lower \`min_approvals\`, list more members in policy.yaml, or list none there and add all of them in the console`,
    ]);
    expect(
      problems({
        ...rule({ approvers: ["finance"], min_approvals: 4, escalate: { after: "10m", to: ["leads"] } }),
        ...policy,
      })[0],
    ).toContain("needs 4 approvals, but finance and leads have 3 members");
    expect(
      problems({
        ...rule({
          approvers: ["finance"],
          min_approvals: 3,
          escalate: { after: "10m", to: ["leads"] },
          self_approval: true,
        }),
        ...policy,
      }),
    ).toEqual([]);
    expect(problems({ ...rule({ approvers: ["open"], min_approvals: 2 }), ...policy })).toEqual([]);
    expect(problems({ ...rule({ approvers: ["finance", "reviewer"], min_approvals: 2 }), ...policy })).toEqual([]);
    expect(problems({ ...rule({ approvers: ["leads"], min_approvals: 2 }), ...policy })[0]).toContain(
      "none of them may have started the run",
    );
  });

  it("a group cannot have the name of a role", () => {
    expect(problems({ "policy.yaml": { groups: { admin: {} } } })).toEqual([
      'policy.yaml groups.admin: "admin" is a role, so it cannot name a group; choose another name',
    ]);
  });
});

describe("values that a schema states", () => {
  const params = (properties: object) => ({
    [WORKFLOW]: { params: { schema: { type: "object", properties: { message: { type: "string" }, ...properties } } } },
  });
  const at = `${WORKFLOW} params.schema.properties`;

  it.each<[string, object, string[]]>([
    [
      "a default of another type",
      { count: { type: "integer", default: "three" } },
      [
        `${at}.count.default: "three" does not fit its own schema: it must be integer; change the default, or the schema`,
      ],
    ],
    [
      "a default that is not listed",
      { colour: { enum: ["red", "blue"], default: "green" } },
      [
        `${at}.colour.default: "green" does not fit its own schema: it must be one of "red", "blue"; change the default, or the schema`,
      ],
    ],
    [
      "a default out of bounds",
      { count: { type: "integer", minimum: 1, default: 0 } },
      [`${at}.count.default: 0 does not fit its own schema: it must be >= 1; change the default, or the schema`],
    ],
    [
      "a default with a wrong part",
      { box: { type: "object", required: ["a"], properties: { a: { type: "string" } }, default: { a: 1 } } },
      [`${at}.box.default: a mapping does not fit its own schema: a must be string; change the default, or the schema`],
    ],
    [
      "a default deep inside",
      { list: { type: "array", items: { type: "object", properties: { n: { type: "integer", default: "x" } } } } },
      [
        `${at}.list.items.properties.n.default: "x" does not fit its own schema: it must be integer; change the default, or the schema`,
      ],
    ],
    [
      "an example",
      { count: { type: "integer", examples: [1, "two"] } },
      [
        `${at}.count.examples[1]: "two" does not fit its own schema: it must be integer; change the example, or the schema`,
      ],
    ],
    [
      "a listed value of another type",
      { size: { type: "string", enum: ["s", 1] } },
      [`${at}.size.enum[1]: 1 can never be given, because the type is string; change the value, or the type`],
    ],
    [
      "a constant of another type",
      { size: { type: "string", const: 1 } },
      [`${at}.size.const: 1 can never be given, because the type is string; change the value, or the type`],
    ],
    [
      "several at once",
      { a: { type: "string", default: 1 }, b: { type: "string", default: 2 } },
      [expect.stringContaining("a.default"), expect.stringContaining("b.default")],
    ],
  ])("must fit it: %s", (_name, properties, expected) => expect(problems(params(properties))).toEqual(expected));

  it.each<[string, object]>([
    ["a default of a referred schema", { count: { $ref: "#/$defs/count", default: 3 } }],
    ["null where it is allowed", { note: { type: ["string", "null"], enum: ["a", null], default: null } }],
    ["a whole number for a number", { rate: { type: "number", enum: [1, 2.5], default: 1 } }],
  ])("are accepted when they fit: %s", (_name, properties) => {
    const schema = {
      type: "object",
      $defs: { count: { type: "integer" } },
      properties: { message: { type: "string" }, ...properties },
    };
    expect(problems({ [WORKFLOW]: { params: { schema } } })).toEqual([]);
  });

  it("are checked against the schemas that they refer to", () => {
    const schema = {
      type: "object",
      $defs: { count: { type: "integer" } },
      properties: { message: { type: "string" }, count: { $ref: "#/$defs/count", default: "x" } },
    };
    expect(problems({ [WORKFLOW]: { params: { schema } } })).toEqual([
      `${at}.count.default: "x" does not fit its own schema: it must be integer; change the default, or the schema`,
    ]);
  });

  it("are refused in every file that repeats them", () => {
    const schema = { type: "object", properties: { message: { type: "string", default: 1 } } };
    expect(problems({ [WORKFLOW]: { params: { schema } }, [AGENT]: { params: { schema } } })).toHaveLength(2);
  });

  it("of a secret are not repeated in the message", () => {
    expect(problems(params({ key: { type: "integer", secret: true, default: "hunter2" } })).join()).not.toContain(
      "hunter2",
    );
  });
});

describe("workflows", () => {
  it.each<Case>([
    [
      "that are sub-workflows declare no env",
      { "workflows/s.workflow.yaml": sub("s", { env: [{ name: "X", default: "1" }] }) },
      [
        "workflows/s.workflow.yaml env: `env` belongs to root workflows; this one is a sub-workflow; declare a param and let the parent workflow pass the value",
      ],
    ],
    [
      "have an output from one place",
      { [WORKFLOW]: { output: { from: "sort", map: {} } } },
      [`${WORKFLOW} output: \`from\` and \`map\` are both given; keep one of them`],
    ],
    [
      "use only declared params",
      steps(transform("a", { condition: "params.mesage == 'x'" })),
      [`${WORKFLOW} pipeline[0].condition: the workflow declares no param "mesage"; did you mean "message"?`],
    ],
    [
      "read step and params in conditions",
      steps(transform("a"), transform("b", { condition: "a.result" })),
      [`${WORKFLOW} pipeline[1].condition: a condition reads \`step\` and \`params\`, not \`a\`; write step.a`],
    ],
    [
      "have no step with a reserved name",
      steps(transform("item")),
      [`${WORKFLOW} pipeline[0].id: a step cannot be named "item"; the word has a meaning of its own in templates`],
    ],
    [
      "refer to steps that exist",
      steps(transform("a", { depends_on: ["b"] })),
      [`${WORKFLOW} pipeline[0].depends_on[0]: no step "b"`],
    ],
    [
      "warn about a field that a step's schema does not have",
      steps(
        { id: "sort", agent: AGENT, params: { message: "x" } },
        transform("b", { condition: "step.sort.categry == 'x'" }),
      ),
      [
        `${WORKFLOW} pipeline[1].condition: warning: step.sort has no field "categry" in its schema; did you mean "category"?`,
      ],
    ],
    [
      "warn about fields that Kimitsu removes",
      steps(
        { id: "sort", agent: AGENT, params: { message: "x" } },
        transform("b", { condition: "step.sort.ktsu_confidence > `0.5`" }),
      ),
      [
        `${WORKFLOW} pipeline[1].condition: warning: ktsu_confidence is read by Kimitsu and then removed from the output; use another field`,
      ],
    ],
    [
      "override only servers that the agent has",
      steps({ id: "sort", agent: AGENT, params: { message: "x", server: { crn: { region: "us" } } } }),
      [`${WORKFLOW} pipeline[0].params.server.crn: agent triage has no server "crn"; did you mean "crm"?`],
    ],
    [
      "override only params that the server has",
      steps({ id: "sort", agent: AGENT, params: { message: "x", server: { crm: { zone: "us" } } } }),
      [
        `${WORKFLOW} pipeline[0].params.server.crm.zone: server crm has no param "zone"; params of the server: "region"`,
      ],
    ],
    [
      "give params of the right type",
      steps({ id: "sort", agent: AGENT, params: { message: "{{ params.count }}" } }),
      [
        `${WORKFLOW} pipeline[0].params.message: the param message of agent triage must be a string, but {{ params.count }} gives an integer`,
      ],
    ],
    [
      "give literals of the right type",
      steps({ id: "sort", agent: AGENT, params: { message: 3 } }),
      [`${WORKFLOW} pipeline[0].params.message: the param message of agent triage must be a string, but 3 is given`],
    ],
    [
      "that are sub-workflows limit no models",
      { "workflows/s.workflow.yaml": sub("s", { model_policy: { cost_budget_usd: 1 } }) },
      [
        "workflows/s.workflow.yaml model_policy: `model_policy` belongs to root workflows; this one is a sub-workflow; it holds for a whole run: move it to the root workflow, or set `model` on the steps here",
      ],
    ],
    [
      "map only to groups that exist",
      { [WORKFLOW]: { model_policy: { group_map: { frontier: "standart" } } } },
      [`${WORKFLOW} model_policy.group_map.frontier: no model group "standart"; did you mean "standard"?`],
    ],
    [
      "read paths in from",
      steps(transform("a"), { id: "b", transform: { inputs: [{ from: "a | b" }] } }),
      [
        `${WORKFLOW} pipeline[1].transform.inputs[0].from: "a | b" is not a path; write step.ID.FIELD, ID, ID.FIELD, or one template such as {{ params.NAME }}`,
      ],
    ],
    [
      "check callers against a declared variable",
      { [WORKFLOW]: { invoke: { auth: { secret: "{{ env.HOOK }}" } } } },
      [`${WORKFLOW} invoke.auth.secret: the variable "HOOK" is not declared; add \`- name: HOOK\` under \`env\``],
    ],
    [
      "warn about a variable without value",
      { [WORKFLOW]: { env: [{ name: "HOOK" }] } },
      [
        `${WORKFLOW} env[0].name: warning: the variable HOOK has no value; set it in the process environment or in an environment file (chosen with --env), or give a \`default\``,
      ],
    ],
  ])("%s", (_name, changes, expected) => expect(problems(changes)).toEqual(expected));

  it("keep the type of a value that is one expression, and make text of mixed ones", () => {
    expect(problems(steps({ id: "sort", agent: AGENT, params: { message: "{{ params.count }} pieces" } }))).toEqual([]);
  });

  it("that run each other in a circle are refused with the circle", () => {
    const call = (target: string) => [{ id: "go", workflow: `workflows/${target}.workflow.yaml` }];
    expect(
      problems({
        "workflows/a.workflow.yaml": sub("a", { pipeline: call("b") }),
        "workflows/b.workflow.yaml": sub("b", { pipeline: call("c") }),
        "workflows/c.workflow.yaml": sub("c", { pipeline: call("a") }),
      }),
    ).toEqual([
      "workflows/a.workflow.yaml pipeline[0].workflow: workflows run each other in a circle: a → b → c → a; a run of it would never end; remove one of the steps",
    ]);
  });

  it("order steps by every kind of reference, hyphens included", () => {
    const { project } = fixture.load(
      changed(
        steps(
          transform("last", { depends_on: ["by-merge"] }),
          { id: "by-merge", transform: { ops: [{ merge: ["by-condition"] }] } },
          transform("by-condition", { condition: "step.by-template.status == `200`" }),
          { id: "by-template", webhook: { url: "https://x.example", body: { a: ["{{ step.by-fan-out.results }}"] } } },
          { id: "by-fan-out", agent: AGENT, params: { message: "{{ item }}" }, for_each: { from: "by-from.result" } },
          { id: "by-from", transform: { inputs: [{ from: "step.first-one.result" }] } },
          transform("first-one"),
        ),
      ),
    );
    expect(project?.workflows.support?.order).toEqual([
      "first-one",
      "by-from",
      "by-fan-out",
      "by-template",
      "by-condition",
      "by-merge",
      "last",
    ]);
  });
});

describe("budgets", () => {
  const budget = (more: object = {}) => ({ [WORKFLOW]: { model_policy: { cost_budget_usd: 1, ...more } } });
  const price = { input_per_million: 1, output_per_million: 1 };
  const group = (name: string, ...pricing: string[]) => ({
    name,
    models: [`local/${name}`],
    pricing: pricing.map((model) => ({ model, ...price })),
  });
  const groups = (...model_groups: object[]) => ({ "gateway.yaml": { model_groups } });
  const misses = (name: string) =>
    `${WORKFLOW} model_policy.cost_budget_usd: the budget cannot be held: model local/${name} of group ${name} has no price; add it to \`pricing\` of ${name} in gateway.yaml, with 0 if it costs nothing`;

  it("need a price for every model that the run may ask", () => {
    expect(problems({ ...budget(), ...groups(group("standard")) })).toEqual([misses("standard")]);
    expect(problems({ ...budget(), ...groups(group("standard", "standard"), group("unused")) })).toEqual([]);
    expect(problems({ ...budget(), ...groups(group("standard", "local/standard")) })).toEqual([]);
  });

  it("apply to the groups that the policy and the step choose, also in sub-workflows and sub-agents", () => {
    const all = groups(group("standard", "standard"), group("frontier"), group("economy"));
    expect(problems({ ...budget({ force_group: "frontier" }), ...all })).toEqual([misses("frontier")]);
    expect(problems({ ...budget({ group_map: { standard: "economy" } }), ...all })).toEqual([misses("economy")]);
    const step = (id: string, more: object = {}) => ({ id, agent: AGENT, params: { message: "x" }, ...more });
    const nested = {
      "workflows/s.workflow.yaml": sub("s", { pipeline: [step("a", { model: { group: "economy" } })] }),
    };
    const lead = {
      "agents/lead.agent.yaml": {
        name: "lead",
        model: "standard",
        prompt: { system: "Lead." },
        subagents: ["agents/deep.agent.yaml"],
      },
      "agents/deep.agent.yaml": { name: "deep", model: "frontier", prompt: { system: "Think." } },
    };
    const pipeline = [
      { id: "one", workflow: "workflows/s.workflow.yaml" },
      { id: "two", agent: "agents/lead.agent.yaml" },
    ];
    expect(problems({ [WORKFLOW]: { ...budget()[WORKFLOW], pipeline }, ...nested, ...lead, ...all })).toEqual([
      misses("economy"),
      misses("frontier"),
    ]);
  });

  it("do not matter for a model that plays a script", () => {
    const scripted = {
      "gateway.yaml": { providers: [{ name: "local", type: "scripted", config: { script: "models/x.script.yaml" } }] },
      "models/x.script.yaml": { agents: { "*": { otherwise: { say: "hi" } } } },
    };
    expect(problems({ ...budget(), ...scripted })).toEqual([]);
    const other = {
      name: "prod",
      variables: {},
      providers: [{ name: "local", type: "openai-compatible", config: { base_url: "https://prod.internal/v1" } }],
    };
    expect(problems({ ...budget(), ...scripted, "environments/prod.env.yaml": other }, { env: "prod" })).toHaveLength(
      1,
    );
  });
});

describe("environments", () => {
  const environment = { name: "prod", variables: { TOKEN: "x", PORT: 8080 } };

  it("are chosen by name, and an unknown name is reported", () => {
    const files = changed({ "environments/prod.env.yaml": environment });
    expect(fixture.load(files, { env: "prod" }).project?.environment?.variables.PORT).toBe(8080);
    expect(fixture.problems(files, { env: "prd" })).toEqual([
      'environments: no environment "prd"; did you mean "prod"?',
    ]);
  });

  it("hold values only", () => {
    expect(problems({ "environments/prod.env.yaml": { name: "prod", variables: { A: "{{ env.B }}" } } })).toEqual([
      'environments/prod.env.yaml variables.A: "{{ env.B }}": templates cannot be used here; an environment file holds values only',
    ]);
  });

  it("replace providers of the gateway", () => {
    const other = { name: "local", type: "openai-compatible", config: { base_url: "https://prod.internal/v1" } };
    const files = changed({ "environments/prod.env.yaml": { ...environment, providers: [other] } });
    expect(fixture.load(files, { env: "prod" }).project?.gateway?.providers[0]?.config).toMatchObject({
      base_url: "https://prod.internal/v1",
    });
    expect(fixture.load(files).project?.gateway?.providers[0]?.config).toMatchObject({
      base_url: "http://localhost:11434/v1",
    });
  });
});

describe("the address of a server", () => {
  it("cannot hold a name or a password, and the problem does not repeat them", () => {
    for (const url of [
      "https://ana:sentinel@wiki.example/mcp",
      "https://sentinel@wiki.example/mcp",
      "http://ana:sent%40inel@127.0.0.1:4100",
    ]) {
      const found = problems({ "servers/wiki.server.yaml": { name: "wiki", url } });
      expect(found, url).toEqual([
        "servers/wiki.server.yaml url: the address holds a name or password, which is not sent; pass it through a param marked `secret: true`, and `auth`",
      ]);
      expect(found.join()).not.toMatch(/sentinel|sent%40inel|ana:/);
    }
    for (const url of ["https://wiki.example/mcp/@team", "https://wiki.example/mcp?of=ana@wiki.example"])
      expect(problems({ "servers/wiki.server.yaml": { name: "wiki", url } }), url).toEqual([]);
  });
});

describe("secrets over plain http", () => {
  const at = (url: string, fields: object = {}) => ({ "servers/wiki.server.yaml": { name: "wiki", url, ...fields } });
  const secret = { params: { key: { secret: true, default: "x" } } };
  const auth = { ...secret, auth: { header: "X-Key", scheme: "raw", secret: "{{ params.key }}" } };
  const told = (files: Record<string, Record<string, unknown>>, allowHosts: string[] | undefined = []) =>
    problems(files, { deployment: { allowStdio: false, allowBypass: false, allowHosts } }).filter((problem) =>
      problem.includes("plain http"),
    );

  it("are a problem with the place of the address, for a credential as for a param", () => {
    const problem =
      "servers/wiki.server.yaml url: a secret would travel to wiki.example over plain http, where everyone on the way can read it; use https://, or add wiki.example to KIMITSU_ALLOW_HOSTS where Kimitsu runs if the way there is your own";
    expect(told(at("http://wiki.example/mcp", auth))).toEqual([problem]);
    expect(told(at("http://wiki.example/mcp", secret))).toEqual([problem]);
    const provider = {
      providers: [
        {
          name: "local",
          type: "openai-compatible",
          config: { base_url: "http://models.example/v1", api_key: "{{ env.KEY }}" },
        },
      ],
      env: [{ name: "KEY", secret: true, default: "x" }],
    };
    expect(told({ "gateway.yaml": provider })).toEqual([
      expect.stringMatching(
        /^gateway\.yaml providers\[0\]\.config\.base_url: a secret would travel to models\.example/,
      ),
    ]);
  });

  it("are not, over https, to this machine, to an allowed host, where hosts are not known, and without a secret", () => {
    for (const url of [
      "https://wiki.example/mcp",
      "http://127.0.0.1:4100/mcp",
      "http://localhost:4100/mcp",
      "http://[::1]:4100/mcp",
    ])
      expect(told(at(url, auth)), url).toEqual([]);
    expect(told(at("http://wiki.example:81/mcp", auth), ["wiki.example:81"])).toEqual([]);
    expect(problems(at("http://wiki.example/mcp", auth)).filter((problem) => problem.includes("plain http"))).toEqual(
      [],
    );
    expect(told(at("http://wiki.example/mcp"))).toEqual([]);
  });
});

describe("the gateway", () => {
  const provider = (config: object, env: object[] = []) => ({
    "gateway.yaml": { env, providers: [{ name: "local", type: "anthropic", config }] },
  });

  it("takes keys from variables that are marked secret", () => {
    expect(problems(provider({ api_key: "{{ env.KEY }}" }, [{ name: "KEY", secret: true, default: "x" }]))).toEqual([]);
    expect(problems(provider({ api_key: "{{ env.KEY }}" }, [{ name: "KEY", default: "x" }]))[0]).toContain(
      "env KEY (NOT secret)  →  api_key of the provider (secret)",
    );
    expect(
      problems(provider({ api_key: "{{ env.KYE }}" }, [{ name: "KEY", secret: true, default: "x" }]))[0],
    ).toContain('"KYE" is not declared; did you mean "KEY"?');
    expect(problems(provider({ api_key: "sk-123" }))[0]).toContain("warning: the secret itself stands in the file");
  });

  it("prices only models of the group", () => {
    const group = {
      name: "standard",
      models: ["local/small"],
      pricing: [{ model: "smal", input_per_million: 1, output_per_million: 1 }],
    };
    expect(problems({ "gateway.yaml": { model_groups: [group] } })).toEqual([
      'gateway.yaml model_groups[0].pricing[0].model: the group has no model "smal"; did you mean "small"?',
    ]);
  });
});

describe("typing errors", () => {
  it("a condition that compares with a field where a value was meant is refused", () => {
    const place = `${AGENT} servers[0].access.allowlist[0].require_approval.when`;
    expect(problems(rule({ when: "force == true" }))).toEqual([
      `${place}: true is read as the name of a field; write \`true\` in backticks`,
    ]);
    expect(problems(rule({ when: "amount > 100" }))).toEqual([
      `${place}: not a JMESPath expression: a number stands in backticks; write \`100\` (at character 10)`,
    ]);
    expect(problems(rule({ when: "{{ args.amount }} > `1`" }))[0]).toContain(
      "templates cannot be used here; write the names without braces",
    );
    expect(
      problems({ [AGENT]: { permissions: { rules: [{ tool: "x", decision: "deny", when: 'kind == "bad"' }] } } })[0],
    ).toContain("write 'bad' for the text");
    expect(
      problems({ "policy.yaml": { permissions: { rules: [{ tool: "x", decision: "deny", when: "a == false" }] } } })[0],
    ).toContain("write `false` in backticks");
    expect(problems(steps(transform("t", { condition: 'params.message == "high"' })))[0]).toContain(
      "write 'high' for the text",
    );
  });

  it("fields that exclude each other are named, each once", () => {
    expect(problems(steps(transform("t", { for_each: { from: "params.count" } })))).toEqual([
      `${WORKFLOW} pipeline[0]: "for_each" cannot stand beside "transform"; keep one of them here`,
    ]);
    expect(problems(steps({ id: "t", transform: { ops: [{ flatten: {}, sort: { field: "a" } }] } }))).toEqual([
      expect.stringMatching(/ops\[0\]: "(flatten|sort)" cannot stand beside "(sort|flatten)"; keep one of them here$/),
    ]);
  });

  it("a webhook has an address and headers that can be sent", () => {
    const hook = (webhook: object) => problems(steps({ id: "h", webhook: { url: "https://x.internal", ...webhook } }));
    expect(hook({ url: "https://x.internal/{{ params.message }}", headers: { "X-A": "b" } })).toEqual([]);
    expect(hook({ url: "file:///etc/passwd" })).toEqual([
      `${WORKFLOW} pipeline[0].webhook.url: expected an address that begins with https:// or http://`,
    ]);
    expect(hook({ url: "https://ana:pass@x.internal" })[0]).toContain("the address holds a name or password");
    expect(hook({ headers: { "bad header": "x", "X-A": "a\nb" } })).toEqual([
      expect.stringContaining('"bad header" is not the name of a header'),
      expect.stringContaining("a header is one line"),
    ]);
  });
});

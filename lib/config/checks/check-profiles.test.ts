import { afterAll, describe, expect, it } from "vitest";
import { verifies } from "@/e2e/requirements";
import { ProjectFixture, SMALL_PROJECT, type Files } from "@/lib/config/project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const PROFILE = "profiles/coding.profile.yaml";
const SERVER = "servers/crm.server.yaml";
const WIKI = "servers/wiki.server.yaml";
const crm = { name: "crm", path: SERVER };
const wiki = { name: "wiki", path: WIKI };

/** The small project with a profile, of which some fields are replaced. */
const withProfile = (profile: object = {}, more: Files = {}): Files => ({
  ...SMALL_PROJECT,
  [WIKI]: { name: "wiki", url: "https://wiki.internal/mcp" },
  [PROFILE]: { name: "coding", servers: [crm], ...profile },
  ...more,
});
const problems = (profile?: object, more?: Files, options = {}) =>
  fixture.problems(withProfile(profile, more), options);
const server = (fields: object) => ({ servers: [{ ...crm, ...fields }] });
const rule = (require_approval: object) => server({ access: { allowlist: [{ name: "delete", require_approval }] } });
const SECRET_SERVER = {
  [SERVER]: {
    name: "crm",
    url: "https://crm.internal/mcp",
    auth: { secret: "{{ params.key }}" },
    params: { key: { secret: true } },
  },
  // Its agent would need the secret as well, and is not what is looked at here.
  "agents/triage.agent.yaml": null,
  "workflows/support.workflow.yaml": null,
};

it(
  verifies(
    "config:profiles",
    "a profile without mistakes has no problems, and is an agent and a workflow of its own file",
  ),
  () => {
    const { project, problems: found } = fixture.load(withProfile());
    expect(found).toEqual([]);
    expect(project?.profiles.coding).toMatchObject({
      file: PROFILE,
      definition: { mode: "tools", prefix: "always", hold: { task: 3_000, progress: 210_000, plain: 45_000 } },
      agent: { name: "mcp:coding", file: PROFILE },
      workflow: { name: "mcp:coding", file: PROFILE, steps: [{ agent: { name: "mcp:coding" } }] },
    });
  },
);

type Case = [what: string, profile: object, problems: string[]];

describe("fields", () => {
  it.each<Case>([
    [
      "an unknown field names the nearest one",
      { sesion_budget_usd: 2 },
      [': unknown field "sesion_budget_usd"; did you mean "session_budget_usd"?'],
    ],
    [
      "what only older agents have is unknown",
      server({ persistent_id: "x" }),
      ['servers[0]: unknown field "persistent_id"'],
    ],
    ["a profile has no prompt", { prompt: { system: "x" } }, [': unknown field "prompt"']],
    ["at least one server", { servers: [] }, ["servers: a profile needs at least one server"]],
    ["a name", { name: "mcp:coding" }, ["name: the name of a profile has letters"]],
    ["the ways to see tools", { mode: "all" }, ['mode: "all" is not allowed; allowed: "tools", "meta"']],
    ["hold times", { hold: { plain: "20m" } }, ['hold.plain: "20m" is too long; the longest is "15m"']],
    ["hold times have a unit", { hold: { task: 3 } }, ["hold.task: the number 3 has no unit"]],
    ["instructions are short", { instructions: "x".repeat(1_501) }, ["instructions: at most 1500 characters"]],
    ["a session's budget is more than nothing", { session_budget_usd: 0 }, ["session_budget_usd: "]],
  ])("%s", (_what, profile, expected) => {
    const found = problems(profile);
    expect(found).toHaveLength(expected.length);
    expected.forEach((text, index) =>
      expect(found[index]).toContain(`${PROFILE}${text.startsWith(":") ? "" : " "}${text}`),
    );
  });

  it("a request may be held for no time at all", () => {
    expect(problems({ hold: { task: "0s", progress: "0s", plain: "0s" } })).toEqual([]);
  });
});

describe("names and references", () => {
  it.each<Case>([
    [
      "a server that is not there",
      { servers: [{ name: "crn" }] },
      ['servers[0].name: no server "crn" in servers.yaml'],
    ],
    ["a file that is not there", { servers: [{ path: "servers/crn.server.yaml" }] }, ["servers[0].path: "]],
    ["the same server twice", { servers: [crm, crm] }, ['servers[1].name: the profile already has a server "crm"']],
    [
      "a toolset that no server has",
      { toolsets: ["files"] },
      ["toolsets[0]: none of the profile's servers has the toolset"],
    ],
    [
      "a param that the server does not have",
      server({ params: { regoin: "us" } }),
      ['servers[0].params.regoin: server crm has no param "regoin"; did you mean "region"?'],
    ],
    [
      "a group that is not there",
      rule({ approvers: ["finanse"] }),
      ['servers[0].access.allowlist[0].require_approval.approvers[0]: no role or group "finanse"'],
    ],
    [
      "bypass without the deployment's permission",
      { permissions: { mode: "bypass" } },
      ['permissions.mode: this deployment does not allow the mode "bypass"'],
    ],
  ])("%s", (_what, profile, expected) => {
    const found = problems(profile);
    expect(found).toHaveLength(expected.length);
    expected.forEach((text, index) => expect(found[index]).toContain(`${PROFILE} ${text}`));
    for (const text of found) expect(text).not.toMatch(/\bagent\b|workflow|prompt/);
  });

  it("two profiles of one name", () => {
    const found = problems({}, { "profiles/other.profile.yaml": { name: "coding", servers: [crm] } });
    expect(found).toEqual([
      `profiles/other.profile.yaml name: the name "coding" is taken by another profile; the other one is in ${PROFILE}:2; choose a different name`,
    ]);
  });

  it("an agent or a workflow may have the name of a profile", () => {
    expect(problems({ name: "triage" })).toEqual([]);
  });

  it("a param of the server that nobody gives", () => {
    const more = { [WIKI]: { name: "wiki", url: "https://wiki.internal/mcp", params: { space: {} } } };
    expect(problems({ servers: [wiki] }, more)).toEqual([
      `${PROFILE} servers[0]: server wiki needs the param "space", which nobody gives; add it under servers[0].params, or give it a default in ${WIKI}`,
    ]);
  });

  it(verifies("config:profiles", "neither a step nor a sub-agent can be a profile: it has no model"), () => {
    const step = { id: "sort", agent: PROFILE, params: { message: "x" } };
    const found = problems(
      {},
      {
        "workflows/support.workflow.yaml": { ...SMALL_PROJECT["workflows/support.workflow.yaml"], pipeline: [step] },
        "agents/triage.agent.yaml": { ...SMALL_PROJECT["agents/triage.agent.yaml"], subagents: [PROFILE] },
        "workflows/more.workflow.yaml": { kind: "workflow", name: "more", pipeline: [{ id: "x", workflow: PROFILE }] },
      },
    );
    expect(found).toEqual([
      expect.stringMatching(/^agents\/triage\.agent\.yaml subagents\[0\]: .*profiles\/coding\.profile\.yaml/),
      expect.stringMatching(/^workflows\/more\.workflow\.yaml pipeline\[0\]\.workflow: .*profiles\/coding/),
      expect.stringMatching(/^workflows\/support\.workflow\.yaml pipeline\[0\]\.agent: .*profiles\/coding/),
    ]);
  });
});

describe("templates", () => {
  const ENV = { env: [{ name: "REGION", default: "eu" }] };
  it.each<Case>([
    ["a declared variable", { ...ENV, ...server({ params: { region: "{{ env.REGION }}" } }) }, []],
    [
      "a variable that is not declared",
      { ...ENV, ...server({ params: { region: "{{ env.REGOIN }}" } }) },
      ['servers[0].params.region: the variable "REGOIN" is not declared; did you mean "REGION"?'],
    ],
    [
      "params, which a profile does not have",
      { ...ENV, ...server({ params: { region: "{{ params.REGION }}" } }) },
      ["servers[0].params.region: "],
    ],
    [
      "steps, which a profile does not have",
      server({ params: { region: "{{ step.x.y }}" } }),
      ["servers[0].params.region: "],
    ],
    [
      "the older form",
      server({ params: { region: "env:REGION" } }),
      ['servers[0].params.region: "env:REGION" is no longer supported; write "{{ env.REGION }}"'],
    ],
    ["in instructions", { ...ENV, instructions: "Use {{ env.REGION }}" }, ["instructions: "]],
    ["in a reason", rule({ reason: "{{ env.REGION }}" }), ["servers[0].access.allowlist[0].require_approval.reason: "]],
    [
      "the word server",
      { env: [{ name: "server", default: "x" }] },
      ['env[0].name: a variable of a profile cannot be named "server"'],
    ],
  ])("%s", (_what, profile, expected) => {
    const found = problems(profile);
    expect(found).toHaveLength(expected.length);
    expected.forEach((text, index) => expect(found[index]).toContain(`${PROFILE} ${text}`));
  });

  it(verifies("config:profiles", "what may be written instead is said"), () => {
    const [found] = problems(server({ params: { region: "{{ params.x }}" } }));
    expect(found).toContain(
      'a profile has no params and no steps: declare a variable under `env` and write "{{ env.NAME }}"',
    );
    expect(problems({ instructions: "{{ env.X }}" })[0]).toContain(
      "instructions are given to the client's model as they are",
    );
  });

  it("a variable without a value is a warning", () => {
    const profile = { env: [{ name: "REGION" }], ...server({ params: { region: "{{ env.REGION }}" } }) };
    const { project, problems: found } = fixture.load(withProfile(profile));
    expect(project).not.toBeNull();
    expect(found).toEqual([
      expect.objectContaining({ severity: "warning", message: "the variable REGION has no value" }),
    ]);
  });
});

describe("the secret chain", () => {
  const key = (value: string, env: object[] = []) => ({ env, ...server({ params: { key: value } }) });

  it("is right when every place is marked", () => {
    expect(problems(key("{{ env.KEY }}", [{ name: "KEY", secret: true, default: "x" }]), SECRET_SERVER)).toEqual([]);
  });

  it(
    verifies("config:profiles", "a variable that is not marked is reported with a drawing that names the profile"),
    () => {
      expect(problems(key("{{ env.KEY }}", [{ name: "KEY", default: "x" }]), SECRET_SERVER)).toEqual([
        [
          `${PROFILE}:13  secret chain broken`,
          "  env KEY of profile coding (NOT secret)  →  server crm.params.key (secret)  →  auth",
          "  add `secret: true` to env[0] (KEY)",
        ].join("\n"),
      ]);
    },
  );

  it("a secret that flows into a param that is not marked", () => {
    const profile = {
      env: [{ name: "REGION", secret: true, default: "x" }],
      ...server({ params: { region: "{{ env.REGION }}" } }),
    };
    const found = problems(profile);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("env REGION of profile coding (secret)  →  server crm.params.region (NOT secret)");
  });

  it("a secret that stands in the profile itself", () => {
    const found = problems(key("hunter2"), SECRET_SERVER);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${PROFILE}:8  secret chain broken`);
    expect(found[0]).toContain("a secret cannot stand in a file");
    expect(found[0]).not.toContain("hunter2");
  });
});

describe("permissions", () => {
  it("what policy.yaml says can only be tightened", () => {
    const policy = { "policy.yaml": { permissions: { mode: "strict", budget_usd: 1 } } };
    expect(problems({ permissions: { mode: "default", budget_usd: 2 } }, policy)).toEqual([
      `${PROFILE} permissions.mode: mode "default" is looser than "strict" of policy.yaml; a profile can only tighten what policy.yaml says; leave the field out, or change policy.yaml`,
      `${PROFILE} permissions.budget_usd: budget_usd 2 is more than 1 of policy.yaml; a profile can only tighten what policy.yaml says; leave the field out, or change policy.yaml`,
    ]);
  });

  it("a rule that nobody can satisfy", () => {
    const policy = { "policy.yaml": { groups: { leads: { members: ["a@example.org", "b@example.org"] } } } };
    expect(problems(rule({ approvers: ["leads"], min_approvals: 3 }), policy)[0]).toContain(
      "nobody can satisfy this rule",
    );
    expect(problems(rule({ approvers: ["leads"], min_approvals: 2 }), policy)[0]).toContain(
      "needs every known member of leads, and none of them may be the one whose client asks",
    );
  });

  it("what has no effect for a client is a warning", () => {
    const profile = { ...rule({ on_reject: "retry" }), permissions: { self_approval: true } };
    const { project, problems: found } = fixture.load(withProfile(profile));
    expect(project).not.toBeNull();
    expect(found.map(({ path, message, severity }) => [path, message, severity])).toEqual([
      [
        "servers[0].access.allowlist[0].require_approval.on_reject",
        "`on_reject` has no effect in a profile",
        "warning",
      ],
      ["permissions.self_approval", "`self_approval` has no effect in a profile", "warning"],
    ]);
    expect(problems(rule({}))).toEqual([]);
  });
});

describe("tools without a prefix", () => {
  const two = (left: object, right: object) => ({
    prefix: "never",
    servers: [
      { ...crm, access: left },
      { ...wiki, access: right },
    ],
  });
  const allow = (...allowlist: unknown[]) => ({ allowlist });
  const TAKEN = `${PROFILE} servers[1]: the servers crm and wiki both have a tool "search"`;
  const facts = { tools: { search: { danger: "low" } } };
  const withFacts = {
    [SERVER]: { ...SMALL_PROJECT[SERVER], ...facts },
    [WIKI]: { name: "wiki", url: "https://wiki.internal/mcp", ...facts },
  };
  const hash = `sha256:${"0".repeat(64)}`;
  const locked = (tool: string) => ({ hash, tools: { [tool]: { fingerprint: hash, shape: hash } } });
  const lock = (left: string, right: string) => ({
    "tools.lock.yaml": { version: 1, servers: { crm: locked(left), wiki: locked(right) } },
  });

  it.each<[string, object, Files, string[]]>([
    ["names on both allowlists", two(allow("search"), allow({ name: "search" })), {}, [TAKEN]],
    ["facts of both servers, all allowed", two(allow("*"), allow("sea*")), withFacts, [TAKEN]],
    ["one of them is not allowed", two(allow("*"), allow("find*")), withFacts, []],
    ["the lock", two(allow("*"), allow("*")), lock("search", "search"), [TAKEN]],
    ["the lock says that one does not have it", two(allow("search"), allow("search")), lock("search", "find"), []],
    ["nothing is known", two(allow("*"), allow("*")), {}, []],
    ["names have a prefix", { ...two(allow("search"), allow("search")), prefix: "always" }, {}, []],
    [
      "a name of Kimitsu's own",
      { prefix: "never", ...server({ access: allow("kimitsu_cancel") }) },
      {},
      [`${PROFILE} servers[0]: the tool kimitsu_cancel of server crm has the name of one of Kimitsu's own`],
    ],
  ])("%s", (_what, profile, more, expected) => {
    const found = problems(profile, more);
    expect(found).toHaveLength(expected.length);
    expected.forEach((text, index) => expect(found[index]).toContain(text));
  });
});

it(verifies("config:profiles", "every problem of a profile comes at once, with those of other files"), () => {
  const found = problems(
    {
      mode: "all",
      instructions: "{{ env.X }}",
      permissions: { mode: "bypass" },
      servers: [
        {
          ...crm,
          params: { regoin: "us" },
          access: { allowlist: [{ name: "x", require_approval: { approvers: ["nobody"] } }] },
        },
        { path: "servers/none.server.yaml" },
      ],
    },
    {
      "agents/triage.agent.yaml": { ...SMALL_PROJECT["agents/triage.agent.yaml"], model: "standart" },
      [WIKI]: "name: [",
    },
  );
  expect(found.map((text) => text.replace(/: .*/s, ""))).toEqual([
    "agents/triage.agent.yaml model",
    `${PROFILE} servers[0].params.regoin`,
    `${PROFILE} servers[0].access.allowlist[0].require_approval.approvers[0]`,
    `${PROFILE} servers[1].path`,
    `${PROFILE} mode`,
    `${PROFILE} instructions`,
    `${PROFILE} permissions.mode`,
    expect.stringContaining(WIKI),
  ]);
});

it("a server that only a profile uses is loaded, and is not reported as unused", () => {
  expect(problems({ servers: [wiki] })).toEqual([]);
});

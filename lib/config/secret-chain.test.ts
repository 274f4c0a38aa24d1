import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadProject } from "./load-project";
import { formatProblem, type Problem } from "./problem";

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kimitsu-chain-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(files: Record<string, unknown>): Problem[] {
  const root = path.join(folder, String((count += 1)));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  const options = { deployment: { allowStdio: false, allowBypass: false }, processEnv: { SVC_TOKEN: "x", HOOK: "x" } };
  return loadProject(root, options).problems.filter((problem) => problem.severity === "error");
}

const GATEWAY = {
  providers: [{ name: "local", type: "openai-compatible", config: { base_url: "http://localhost:1/v1" } }],
  model_groups: [{ name: "standard", models: ["local/m"] }],
};

const SOURCES = {
  "a secret env entry": { value: "{{ env.SVC_TOKEN }}", label: "env SVC_TOKEN", isSecret: true },
  "a plain env entry": { value: "{{ env.SVC_TOKEN }}", label: "env SVC_TOKEN", isSecret: false },
  "a literal": { value: "abc", label: "a literal", isSecret: false },
  "a plain param": { value: "{{ params.given }}", label: "workflow main.params.given", isSecret: false },
  "a secret param": { value: "{{ params.given }}", label: "workflow main.params.given", isSecret: true },
  "a step output": { value: "{{ step.first.result }}", label: "output of step first", isSecret: false },
} as const;

interface Combination {
  source: keyof typeof SOURCES;
  /** Marks of the places between source and auth; a place that is absent is not part of the chain. */
  sub?: boolean;
  agent?: boolean;
  server: boolean;
  hasAuth: boolean;
}

function combinations(): Combination[] {
  const both = [true, false];
  const result: Combination[] = [];
  for (const source of Object.keys(SOURCES) as (keyof typeof SOURCES)[]) {
    for (const sub of [undefined, ...both])
      for (const agent of [undefined, ...both])
        for (const server of both)
          for (const hasAuth of both) {
            result.push({
              source,
              server,
              hasAuth,
              ...(sub === undefined ? {} : { sub }),
              ...(agent === undefined ? {} : { agent }),
            });
          }
  }
  return result;
}

const schema = (name: string, secret: boolean) => ({
  schema: { type: "object", properties: { [name]: { type: "string", ...(secret ? { secret } : {}) } } },
});

/** Without a mark for the agent the value bypasses it, as an override of the server's param in the workflow step. */
function filesOf({ source, sub, agent, server, hasAuth }: Combination): Record<string, unknown> {
  const { value, isSecret } = SOURCES[source];
  const call = (given: string) =>
    agent === undefined
      ? { id: "call", agent: "agents/caller.agent.yaml", params: { server: { svc: { token: given } } } }
      : { id: "call", agent: "agents/caller.agent.yaml", params: { token: given } };
  const main = {
    kind: "workflow",
    name: "main",
    env: [{ name: "SVC_TOKEN", secret: isSecret }],
    params: schema("given", isSecret),
    pipeline: [
      { id: "first", transform: { ops: [] } },
      sub === undefined
        ? call(value)
        : { id: "nested", workflow: "workflows/nested.workflow.yaml", input: { inner: value } },
    ],
  };
  return {
    "gateway.yaml": GATEWAY,
    "workflows/main.workflow.yaml": main,
    ...(sub === undefined
      ? {}
      : {
          "workflows/nested.workflow.yaml": {
            kind: "workflow",
            name: "nested",
            visibility: "sub-workflow",
            params: schema("inner", sub),
            pipeline: [call("{{ params.inner }}")],
          },
        }),
    "agents/caller.agent.yaml": {
      name: "caller",
      model: "standard",
      prompt: { system: "Call it." },
      ...(agent === undefined ? {} : { params: schema("token", agent) }),
      servers: [
        {
          name: "svc",
          path: "servers/svc.server.yaml",
          ...(agent === undefined ? {} : { params: { token: "{{ params.token }}" } }),
        },
      ],
    },
    "servers/svc.server.yaml": {
      name: "svc",
      url: "https://svc.internal/mcp",
      params: { token: { secret: server } },
      ...(hasAuth ? { auth: { secret: "{{ params.token }}" } } : {}),
    },
  };
}

const title = ({ source, sub, agent, server, hasAuth }: Combination) => {
  const mark = (name: string, value: boolean | undefined) =>
    value === undefined ? "" : ` → ${name} ${value ? "marked" : "unmarked"}`;
  return `${source}${mark("sub-workflow", sub)}${mark("agent", agent)}${agent === undefined ? " → step override" : ""}${mark("server", server)}${hasAuth ? " → auth" : ""}`;
};

describe("every combination of marks, sources and routes", () => {
  it.each(combinations().map((combination) => [title(combination), combination] as const))(
    "%s",
    (_title, combination) => {
      const { source, sub, agent, server, hasAuth } = combination;
      const places = [
        { label: SOURCES[source].label, isSecret: SOURCES[source].isSecret },
        ...(sub === undefined ? [] : [{ label: "workflow nested.params.inner", isSecret: sub }]),
        ...(agent === undefined ? [] : [{ label: "agent caller.params.token", isSecret: agent }]),
        { label: "server svc.params.token", isSecret: server },
      ];
      const problems = load(filesOf(combination));
      const isTouched = hasAuth || places.some((place) => place.isSecret);
      if (!isTouched || places.every((place) => place.isSecret)) {
        expect(problems).toEqual([]);
        return;
      }
      const drawn = places.map((place) => `${place.label} (${place.isSecret ? "secret" : "NOT secret"})`).join("  →  ");
      expect(problems.map((problem) => problem.chain)).toEqual([`${drawn}${hasAuth ? "  →  auth" : ""}`]);
      expect(problems[0]?.message).toBe("secret chain broken");
      expect(problems[0]?.hint?.split("\n")).toHaveLength(places.filter((place) => !place.isSecret).length);
    },
  );
});

it("a broken chain is drawn as a whole, cites the place to fix and says what to add", () => {
  const files = filesOf({ source: "a secret env entry", agent: false, server: true, hasAuth: true });
  files["agents/caller.agent.yaml"] = [
    "name: caller",
    "model: standard",
    "prompt: { system: Call it. }",
    "params:",
    "  schema:",
    "    type: object",
    "    properties:",
    "      token: { type: string }",
    "servers:",
    "  - name: svc",
    "    path: servers/svc.server.yaml",
    '    params: { token: "{{ params.token }}" }',
  ].join("\n");
  expect(load(files).map((problem) => formatProblem(problem, "kimitsu"))).toEqual([
    [
      "kimitsu/agents/caller.agent.yaml:8  secret chain broken",
      "  env SVC_TOKEN (secret)  →  agent caller.params.token (NOT secret)  →  server svc.params.token (secret)  →  auth",
      "  add `secret: true` to params.schema.properties.token",
    ].join("\n"),
  ]);
});

describe("a secret must not reach a place whose content is recorded", () => {
  const base = () =>
    filesOf({ source: "a secret env entry", agent: true, server: true, hasAuth: true }) as Record<
      string,
      Record<string, unknown>
    >;
  const change = (file: string, edit: (definition: never) => void) => {
    const files = structuredClone(base());
    edit(files[file] as never);
    return load(files).map((problem) => `${problem.file}: ${problem.message}: ${problem.chain}`);
  };
  const main = "workflows/main.workflow.yaml";
  type Main = { pipeline: Record<string, unknown>[]; output?: unknown };

  it.each(["user", "reflect"])("prompt.%s", (field) => {
    expect(
      change(
        "agents/caller.agent.yaml",
        ({ prompt }: { prompt: Record<string, string> }) => void (prompt[field] = "Use {{ params.token }}"),
      ),
    ).toEqual([
      `agents/caller.agent.yaml: a secret would be shown: env SVC_TOKEN (secret)  →  agent caller.params.token (secret)  →  prompt.${field} of caller (NOT a place for secrets)`,
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a transform", { id: "x", transform: { inputs: [{ from: "{{ env.SVC_TOKEN }}" }] } }, "transform of step x"],
    [
      "a fan-out",
      { id: "x", workflow: "workflows/leaf.workflow.yaml", for_each: { from: "{{ env.SVC_TOKEN }}" } },
      "fan-out of step x",
    ],
  ])("%s", (_name, step, label) => {
    const files = structuredClone(base());
    (files[main] as unknown as Main).pipeline.push(step);
    const leaf = {
      kind: "workflow",
      name: "leaf",
      visibility: "sub-workflow",
      pipeline: [{ id: "t", transform: { ops: [] } }],
    };
    expect(load({ ...files, "workflows/leaf.workflow.yaml": leaf }).map((problem) => problem.chain)).toEqual([
      `env SVC_TOKEN (secret)  →  ${label} (NOT a place for secrets)`,
    ]);
  });

  it("a condition", () => {
    const files = structuredClone(
      filesOf({ source: "a secret param", agent: true, server: true, hasAuth: true }),
    ) as Record<string, Record<string, unknown>>;
    (files[main] as unknown as Main).pipeline[0]!.condition = "params.given == 'x'";
    expect(load(files).map((problem) => problem.chain)).toEqual([
      "workflow main.params.given (secret)  →  condition of step first (NOT a place for secrets)",
    ]);
  });

  it("the workflow's output", () => {
    expect(
      change(main, (definition: Main) => void (definition.output = { map: { x: "{{ env.SVC_TOKEN }}" } })),
    ).toEqual([
      `${main}: a secret would be shown: env SVC_TOKEN (secret)  →  output of workflow main (NOT a place for secrets)`,
    ]);
  });

  it("but a webhook's url, headers and body may carry it", () => {
    const webhook = {
      url: "https://x.example/{{ env.SVC_TOKEN }}",
      headers: { Authorization: "Bearer {{ env.SVC_TOKEN }}" },
      body: { key: "{{ env.SVC_TOKEN }}" },
    };
    expect(change(main, (definition: Main) => void definition.pipeline.push({ id: "hook", webhook }))).toEqual([]);
  });

  it("the key that signs a webhook must be a secret", () => {
    const signedWith = (secret: string) =>
      change(
        main,
        (definition: Main) =>
          void definition.pipeline.push({ id: "hook", webhook: { url: "https://x.example", secret } }),
      );
    expect(signedWith("{{ env.SVC_TOKEN }}")).toEqual([]);
    expect(signedWith("plain")).toEqual([
      `${main}: secret chain broken: a literal (NOT secret)  →  signature of step hook`,
    ]);
    expect(signedWith("{{ step.first.result }}")).toEqual([
      `${main}: secret chain broken: output of step first (NOT secret)  →  signature of step hook`,
    ]);
  });

  it("text around a secret keeps it secret", () => {
    expect(
      change(
        main,
        (definition: Main) => void (definition.pipeline[1]!.params = { token: "Token {{ env.SVC_TOKEN }}" }),
      ),
    ).toEqual([]);
  });

  it("a secret mixed with something plain is refused", () => {
    const [problem] = change(
      main,
      (definition: Main) =>
        void (definition.pipeline[1]!.params = { token: "{{ env.SVC_TOKEN }}-{{ step.first.result }}" }),
    );
    expect(problem).toContain("output of step first (NOT secret)  →  agent caller.params.token (secret)");
  });

  it("a default of a param that is marked secret", () => {
    expect(
      change(
        "servers/svc.server.yaml",
        (definition: { params: { token: Record<string, unknown> } }) => void (definition.params.token.default = "abc"),
      ),
    ).toEqual(['servers/svc.server.yaml: the secret param "token" has a default: undefined']);
  });
});

it("a step override replaces what the agent gives, and only there", () => {
  const files = filesOf({ source: "a secret env entry", agent: true, server: true, hasAuth: true }) as Record<
    string,
    Record<string, unknown>
  >;
  const main = files["workflows/main.workflow.yaml"] as { pipeline: Record<string, unknown>[] };
  main.pipeline[1]!.params = { token: "{{ env.SVC_TOKEN }}", server: { svc: { token: "{{ env.SVC_TOKEN }}" } } };
  expect(load(files)).toEqual([]);
  main.pipeline[1]!.params = { token: "{{ env.SVC_TOKEN }}", server: { svc: { token: "abc" } } };
  expect(load(files).map((problem) => problem.chain)).toEqual([
    "a literal (NOT secret)  →  server svc.params.token (secret)  →  auth",
  ]);
  (files["agents/caller.agent.yaml"] as { servers: { params: unknown }[] }).servers[0]!.params = { token: "abc" };
  main.pipeline[1]!.params = { server: { svc: { token: "{{ env.SVC_TOKEN }}" } } };
  expect(load(files).map((problem) => `${problem.file} ${problem.chain}`)).toEqual([
    "agents/caller.agent.yaml a literal (NOT secret)  →  server svc.params.token (secret)  →  auth",
  ]);
});

it("a server may have the name of something that every object has", () => {
  const text = JSON.stringify(filesOf({ source: "a literal", agent: true, server: true, hasAuth: true }));
  const files = JSON.parse(
    text.replaceAll('"svc"', '"constructor"').replaceAll('"token"', '"name"').replaceAll("params.token", "params.name"),
  ) as Record<string, unknown>;
  expect(load(files).map((problem) => problem.chain)).toEqual([
    "a literal (NOT secret)  →  agent caller.params.name (secret)  →  server constructor.params.name (secret)  →  auth",
  ]);
});

it("what an override replaces is not part of the step's chain", () => {
  const files = filesOf({ source: "a secret env entry", agent: false, server: true, hasAuth: true }) as Record<
    string,
    Record<string, unknown>
  >;
  const main = files["workflows/main.workflow.yaml"] as { pipeline: Record<string, unknown>[] };
  main.pipeline[1]!.params = { token: "{{ params.given }}", server: { svc: { token: "{{ env.SVC_TOKEN }}" } } };
  (files["workflows/main.workflow.yaml"] as { params: unknown }).params = schema("given", false);
  expect(load(files).map((problem) => problem.chain)).toEqual([
    "agent caller.params.token (NOT secret)  →  server svc.params.token (secret)  →  auth",
  ]);
});

it("a param of a sub-workflow that no parent gives is followed from there", () => {
  const files = filesOf({
    source: "a secret env entry",
    sub: false,
    agent: true,
    server: true,
    hasAuth: true,
  }) as Record<string, Record<string, unknown>>;
  delete (files["workflows/main.workflow.yaml"] as { pipeline: Record<string, unknown>[] }).pipeline[1]!.input;
  expect(load(files).map((problem) => problem.chain)).toEqual([
    "workflow nested.params.inner (NOT secret)  →  agent caller.params.token (secret)  →  server svc.params.token (secret)  →  auth",
  ]);
});

it("files that nothing uses yet are checked as well", () => {
  const { "workflows/main.workflow.yaml": _main, ...rest } = filesOf({
    source: "a literal",
    agent: false,
    server: true,
    hasAuth: true,
  });
  expect(load(rest).map((problem) => problem.chain)).toEqual([
    "agent caller.params.token (NOT secret)  →  server svc.params.token (secret)  →  auth",
  ]);
  const { "agents/caller.agent.yaml": _agent, ...servers } = filesOf({
    source: "a literal",
    server: false,
    hasAuth: true,
  });
  delete servers["workflows/main.workflow.yaml"];
  expect(load(servers).map((problem) => problem.chain)).toEqual(["server svc.params.token (NOT secret)  →  auth"]);
});

it("fields inside of a param are followed one by one", () => {
  const files = filesOf({ source: "a secret env entry", agent: true, server: true, hasAuth: true }) as Record<
    string,
    Record<string, unknown>
  >;
  files["agents/caller.agent.yaml"] = {
    name: "caller",
    model: "standard",
    prompt: { system: "Call it.", user: "You are {{ params.login.user }}" },
    params: {
      schema: {
        type: "object",
        properties: {
          login: {
            type: "object",
            properties: { user: { type: "string" }, password: { type: "string", secret: true } },
          },
        },
      },
    },
    servers: [{ name: "svc", path: "servers/svc.server.yaml", params: { token: "{{ params.login.password }}" } }],
  };
  const pipeline = (login: unknown) => [{ id: "call", agent: "agents/caller.agent.yaml", params: { login } }];
  const main = files["workflows/main.workflow.yaml"]!;
  main.pipeline = pipeline({ user: "bob", password: "{{ env.SVC_TOKEN }}" });
  expect(load(files)).toEqual([]);
  main.pipeline = pipeline({ user: "{{ env.SVC_TOKEN }}", password: "{{ env.SVC_TOKEN }}" });
  expect(load(files).map((problem) => problem.chain)).toEqual([
    "env SVC_TOKEN (secret)  →  agent caller.params.login.user (NOT secret)  →  prompt.user of caller (NOT a place for secrets)",
  ]);
  main.pipeline = pipeline({ user: "bob", password: "hunter2" });
  expect(load(files).map((problem) => problem.chain)).toEqual([
    "a literal (NOT secret)  →  agent caller.params.login.password (secret)  →  server svc.params.token (secret)  →  auth",
  ]);
});

it("the secret that callers send must come from a variable that is marked", () => {
  const files = filesOf({ source: "a plain env entry", agent: false, server: false, hasAuth: false }) as Record<
    string,
    Record<string, unknown>
  >;
  files["workflows/main.workflow.yaml"]!.invoke = { auth: { secret: "{{ env.HOOK }}" } };
  (files["workflows/main.workflow.yaml"]!.env as unknown[]).push({ name: "HOOK" });
  expect(load(files).map((problem) => problem.chain)).toEqual(["env HOOK (NOT secret)  →  invoke.auth"]);
});

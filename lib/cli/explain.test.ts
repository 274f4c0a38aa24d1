import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { afterAll, describe, expect, it, vi } from "vitest";
import { getProject } from "@/lib/config/load-project";
import { verifies } from "@/e2e/requirements";
import { rereadEnv } from "@/lib/env";
import { explain, registerExplain } from "./explain";

const FILES: Record<string, string> = {
  "gateway.yaml":
    'providers:\n  - { name: local, type: openai-compatible, config: { base_url: "http://localhost:11434/v1" } }\nmodel_groups:\n  - { name: standard, models: [local/any] }\n',
  "policy.yaml": "groups: { finance: {} }\npermissions:\n  deny: [drop-*]\n",
  "servers/crm.server.yaml":
    'name: crm\nurl: "https://crm.test/mcp"\nparams: { region: { default: us } }\ntools:\n  read-all: { annotations: { readOnlyHint: true } }\n  wipe: { annotations: { destructiveHint: true } }\n',
  "agents/triage.agent.yaml": `name: triage
model: standard
prompt: { system: "Triage." }
servers:
  - name: crm
    path: servers/crm.server.yaml
    access:
      allowlist:
        - read-*
        - wipe*
        - drop-table
        - name: refund
          require_approval: { when: "amount > \`1000\`", approvers: [finance], timeout: 30m, reason: "Large refund" }
output: { schema: { type: object } }
`,
  "profiles/desk.profile.yaml": `name: desk
env: [{ name: REGION, default: eu }]
servers:
  - name: crm
    path: servers/crm.server.yaml
    params: { region: "{{ env.REGION }}" }
    access:
      allowlist: [{ name: refund, require_approval: { reason: "Large refund" } }]
`,
  "profiles/triage.profile.yaml":
    "name: triage\nservers: [{ path: servers/crm.server.yaml, access: { allowlist: [] } }]\n",
};

const root = mkdtempSync(path.join(tmpdir(), "kimitsu-explain-"));
for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}
afterAll(() => rmSync(root, { recursive: true }));

const say = (tool: string, options: { args?: string; json?: boolean; agent?: string } = {}) =>
  explain(getProject(root, { deployment: { allowStdio: true, allowBypass: false }, processEnv: {} }), {
    agent: "triage",
    tool,
    allowBypass: false,
    ...options,
  });

describe("kimitsu explain", () => {
  it("says who is asked, why, and which line decides", () => {
    const text = say("crm.refund", { args: '{"amount": 5000}' });
    expect(text).toMatch(/^crm\.refund waits for a person: Large refund/);
    expect(text).toMatch(/ask {3}require_approval {2}Large refund .*agents\/triage\.agent\.yaml:13/);
    expect(text).toContain("Approval: 1 of finance; a rejection means fail; after 1800 s: fail.");
  });

  it("judges the arguments that it is given", () =>
    expect(say("crm.refund", { args: '{"amount": 5}' })).toMatch(/^crm\.refund runs without asking/));
  it("without arguments a condition is unclear, and so a person is asked", () =>
    expect(say("crm.refund")).toContain("cannot be compared by size"));
  it("names policy.yaml where it decides", () =>
    expect(say("crm.drop-table")).toMatch(/is refused.*[\s\S]*deny {2}deny .*policy\.yaml:3/));
  it("uses the facts of the server file", () => {
    expect(say("crm.read-all")).toMatch(/^crm\.read-all runs without asking/);
    expect(say("crm.wipe")).toContain("danger is critical (the tool is declared destructive)");
  });
  it("says so when nothing is known about a tool", () =>
    expect(say("crm.read-other")).toContain("its annotations are taken as unknown"));
  it("refuses what is not on the allowlist", () =>
    expect(say("crm.other")).toContain("Tool 'crm.other' is not on the allowlist of agent 'triage'"));

  it("is a command that reads the project of KIMITSU_PROJECT", async () => {
    vi.stubEnv("KIMITSU_PROJECT", root);
    rereadEnv();
    const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const program = new Command();
    registerExplain(program);
    await program.parseAsync(["explain", "triage", "crm.refund", "--args", '{"amount": 5000}'], { from: "user" });
    expect(printed.mock.calls.flat().join()).toMatch(/^crm\.refund waits for a person: Large refund/);
    printed.mockRestore();
    vi.unstubAllEnvs();
    rereadEnv();
  });

  it("prints the decision with its trace as JSON", () => {
    expect(JSON.parse(say("crm.wipe", { json: true }))).toMatchObject({
      agent: "triage",
      server: "crm",
      tool: "wipe",
      decision: "ask",
      danger: { level: "critical" },
      trace: [
        { layer: "allowlist", source: { file: "agents/triage.agent.yaml", line: 10 } },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    });
  });

  it(verifies("config:profiles", "explains a call of a client, in the words of its profile"), () => {
    const text = say("crm.refund", { agent: "desk" });
    expect(text).toMatch(/^crm\.refund waits for a person: Large refund/);
    expect(text).toMatch(/ask {3}require_approval {2}Large refund {2}profiles\/desk\.profile\.yaml:8/);
    expect(text).toContain("Approval: 1 of any reviewer; the client gets a rejection as the tool's error; no timeout.");
    expect(text).toContain("region  {{ env.REGION }}  (profile, profiles/desk.profile.yaml:6)");
    expect(say("crm.other", { agent: "desk" })).toContain("Tool 'crm.other' is not on the allowlist of profile desk");
    expect(JSON.parse(say("crm.refund", { agent: "desk", json: true }))).toMatchObject({
      profile: "desk",
      decision: "ask",
    });
  });

  it("of an agent and a profile with one name the agent is explained, unless the profile is named as such", () => {
    expect(say("crm.other")).toContain("agent 'triage'");
    expect(say("crm.other", { agent: "profile:triage" })).toContain("profile triage");
    expect(() => say("crm.other", { agent: "mcp:triage" })).toThrow('There is no agent or profile "mcp:triage"');
  });

  it.each([
    ["crm.wipe", { agent: "triange" }, 'There is no agent or profile "triange"; did you mean "triage"?'],
    ["wiki.read", {}, 'names no tool of agent "triage"; write crm.TOOL'],
    ["crm.", {}, "names no tool"],
    ["crm.wipe", { args: "{amount: 1}" }, "--args is not JSON"],
  ])("%s %j is refused with what would work", (tool, options, message) =>
    expect(() => say(tool, options)).toThrow(message),
  );
});

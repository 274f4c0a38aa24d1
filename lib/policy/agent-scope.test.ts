import { describe, expect, it } from "vitest";
import { agentSchema } from "@/lib/config/agent-schema";
import { policySchema } from "@/lib/config/policy-schema";
import type { ProjectAgent } from "@/lib/config/project";
import { toAgentScope, toProjectPermissions, toSubagentScopes } from "./agent-scope";
import { decide } from "./decide";
import { contextOf } from "./policy-fixture";

const locate = (file: string, path: readonly (string | number)[]) => ({ file, line: path.length, column: 1 });

function agentOf(name: string, servers: unknown[], permissions?: unknown): ProjectAgent {
  const definition = agentSchema.parse({ name, model: "standard", prompt: { system: "Work." }, servers, permissions });
  const linked = definition.servers.map((entry, index) => ({
    index,
    name: entry.name ?? "",
    server: { name: `${entry.name}-own` } as ProjectAgent["servers"][number]["server"],
  }));
  return { name, file: `agents/${name}.agent.yaml`, hash: "", definition, servers: linked, subagents: [] };
}

describe("scopes from a project", () => {
  it("a server without access is open to all of its tools", () => {
    expect(toAgentScope({ locate }, agentOf("a", [{ name: "crm" }])).servers).toEqual([
      {
        name: "crm",
        definition: "crm-own",
        grants: [{ pattern: "*", requireApproval: null, source: { file: "agents/a.agent.yaml", line: 2, column: 1 } }],
      },
    ]);
  });

  it("an empty allowlist is open to none", () => {
    expect(toAgentScope({ locate }, agentOf("a", [{ name: "crm", access: { allowlist: [] } }])).servers).toMatchObject([
      { name: "crm", grants: [] },
    ]);
  });

  it("entries and permissions have their source locations", () => {
    const scope = toAgentScope(
      { locate },
      agentOf("a", [{ name: "crm", access: { allowlist: ["x", { name: "y", require_approval: {} }] } }], {
        deny: ["z"],
        mode: "strict",
      }),
    );
    expect(scope.servers[0]?.grants.map((grant) => grant.source?.line)).toEqual([5, 6]);
    expect([scope.permissions.deny?.[0]?.source?.line, scope.permissions.mode?.source?.line]).toEqual([3, 2]);
    expect(
      toProjectPermissions({ locate, policy: policySchema.parse({ permissions: { deny: ["z"] } }) }),
    ).toMatchObject({ deny: [{ pattern: "z", source: { file: "policy.yaml", line: 3 } }] });
    expect(toProjectPermissions({ locate, policy: null })).toEqual({});
  });

  it("a sub-agent is limited to its parent's scope and to the subset that the parent states", () => {
    const parent = agentOf("parent", [{ name: "crm", access: { allowlist: ["read-a", "read-b"] } }]);
    const child = agentOf("child", [{ name: "crm", access: { allowlist: ["read-a", "read-b", "write"] } }]);
    const scopes = toSubagentScopes(
      { locate },
      { agent: parent, scopes: [toAgentScope({ locate }, parent)] },
      {
        at: ["subagents", 0],
        agent: child,
        params: {},
        tools: ["crm.read-a", "crm.write"],
      },
    );
    const judge = (tool: string) =>
      decide({ server: "crm", definition: "crm-own", tool, arguments: {} }, { ...contextOf(), scopes }).decision;
    expect([judge("read-a"), judge("read-b"), judge("write")]).toEqual(["allow", "deny", "deny"]);
  });
});

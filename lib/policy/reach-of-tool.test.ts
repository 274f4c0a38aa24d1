import { expect, test } from "vitest";
import type { Permissions } from "@/lib/config/permission-schema";
import { reachOfTool } from "@/lib/policy/reach-of-tool";
import { type Grant, toPermissionSet } from "@/lib/policy/policy-input";

type Rule = NonNullable<Permissions["rules"]>[number];

function reach(grant: Partial<Grant>, permissions: Permissions = {}, rules: Partial<Rule>[] = []) {
  const scope = {
    agent: "mcp:coding",
    servers: [{ name: "shop", definition: "shop", grants: [{ pattern: "refund", requireApproval: null, ...grant }] }],
    permissions: toPermissionSet({ ...permissions, rules: rules as Rule[] }),
    only: null,
  };
  return reachOfTool({
    project: { locate: () => ({ file: "", line: 1, column: 1 }), policy: null },
    scopes: [scope],
    server: undefined,
    facts: {},
    name: { server: "shop", tool: "refund" },
    tool: { listing: "listed", annotations: undefined },
    hasLock: false,
    deployment: { allowBypass: false },
  });
}

const rule = (facts: Partial<Rule>): Partial<Rule> => ({ tool: "refund", priority: 0, ...facts });

test("a tool on the allowlist is reachable, and asks nobody", () => {
  expect(reach({})).toMatchObject({ isReachable: true, mayAsk: false, dependsOnArguments: false });
});

test("a tool that is not on the allowlist, denied by name, or writes in plan mode is not reachable", () => {
  expect(reach({ pattern: "other" }).isReachable).toBe(false);
  expect(reach({}, { deny: ["shop.refund"] }).isReachable).toBe(false);
  expect(reach({}, { mode: "plan" }).isReachable).toBe(false);
});

test("a condition on arguments hides nothing, and counts as asking", () => {
  const when = "amount > `100`";
  expect(reach({}, {}, [rule({ decision: "deny", when })]).isReachable).toBe(true);
  expect(reach({ requireApproval: { when } as Grant["requireApproval"] })).toMatchObject({
    isReachable: true,
    mayAsk: true,
    dependsOnArguments: true,
  });
  expect(reach({ pattern: "*" }, { ask_from: "critical" }, [rule({ decision: "ask", when })])).toMatchObject({
    mayAsk: true,
    dependsOnArguments: true,
  });
  expect(reach({ pattern: "*" }).dependsOnArguments).toBe(false);
});

/** policy.yaml and an agent's permissions: the agent can only tighten. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DANGER_LEVELS, PERMISSION_MODES } from "@/lib/config/permission-schema";
import { decide } from "./decide";
import { CALL, contextOf } from "./policy-fixture";

const low = { facts: { danger: "low" as const } };
const critical = { annotations: { destructiveHint: true } };
const outcome = (changes: Parameters<typeof contextOf>[0]) => decide(CALL, contextOf(changes)).decision;

describe("what policy.yaml states and an agent cannot waive", () => {
  it.each([
    [
      "a denied tool, by the agent's allow",
      { project: { deny: ["delete-*"] }, permissions: { allow: ["delete-record"] } },
      "deny",
    ],
    [
      "a denied tool, by the agent's bypass",
      { project: { deny: ["delete-*"] }, permissions: { mode: "bypass" } },
      "deny",
    ],
    [
      "a rule that asks, by the agent's bypass",
      { project: { rules: [{ tool: "*", decision: "ask" }] }, permissions: { mode: "bypass" } },
      "ask",
    ],
    [
      "a rule that asks, by an exact name",
      { project: { rules: [{ tool: "*", decision: "ask" }] }, allowlist: ["delete-record"] },
      "ask",
    ],
    [
      "a rule that denies, by require_approval of the agent",
      {
        project: { rules: [{ tool: "*", decision: "deny" }] },
        allowlist: [{ name: "delete-record", require_approval: {} }],
      },
      "deny",
    ],
    [
      "a rule that denies in this case, by require_approval of the agent",
      {
        project: { rules: [{ tool: "*", when: "amount > `10`", decision: "deny" }] },
        allowlist: [{ name: "delete-*", require_approval: { when: "amount > `10`" } }],
      },
      "deny",
    ],
    [
      "a rule that denies, by the agent's own rule",
      {
        project: { rules: [{ tool: "*", decision: "deny" }] },
        permissions: { rules: [{ tool: "*", decision: "allow", priority: 9 }] },
      },
      "deny",
    ],
    [
      "ask_from, by the agent's ask_from",
      { project: { ask_from: "low" }, permissions: { ask_from: "critical" }, tool: low },
      "ask",
    ],
    [
      "ask_from, by the agent's allow",
      { project: { ask_from: "low" }, permissions: { allow: ["*"] }, tool: low },
      "ask",
    ],
    [
      "ask_from, by the agent's rule",
      { project: { ask_from: "low" }, permissions: { rules: [{ tool: "*", decision: "allow" }] }, tool: low },
      "ask",
    ],
    [
      "ask_from, by the agent's bypass",
      { project: { ask_from: "high" }, permissions: { mode: "bypass" }, tool: critical },
      "ask",
    ],
    [
      "mode strict, by mode default",
      { project: { mode: "strict" }, permissions: { mode: "default" }, tool: low },
      "ask",
    ],
    ["mode strict, by mode bypass", { project: { mode: "strict" }, permissions: { mode: "bypass" }, tool: low }, "ask"],
    [
      "mode strict, by the agent's allow",
      { project: { mode: "strict" }, permissions: { allow: ["*"] }, tool: low },
      "ask",
    ],
    ["mode plan, by mode strict", { project: { mode: "plan" }, permissions: { mode: "strict" }, tool: low }, "deny"],
    [
      "mode default, by mode bypass",
      { project: { mode: "default" }, permissions: { mode: "bypass" }, tool: critical },
      "ask",
    ],
    [
      "allow, by a wider allow",
      { project: { allow: ["read-*"] }, permissions: { allow: ["*"] }, tool: critical },
      "ask",
    ],
    [
      "the budget, by a larger one",
      { project: { budget_usd: 1 }, permissions: { budget_usd: 9 }, budget: { estimatedUsd: 2 } },
      "deny",
    ],
    [
      "the budget, by bypass",
      { project: { budget_usd: 1 }, permissions: { mode: "bypass" }, budget: { estimatedUsd: 2 } },
      "deny",
    ],
  ])("%s", (_name, changes, expected) => expect(outcome(changes)).toBe(expected));
});

describe("a rule of policy.yaml that asks, beside the agent's require_approval", () => {
  const entry = {
    name: "delete-record",
    require_approval: {
      approvers: ["finance"],
      min_approvals: 2,
      self_approval: true,
      on_reject: "recover",
      timeout: "1h",
      reason: "Gone for good",
    },
  };
  const askedWith = (project: unknown) => decide(CALL, contextOf({ allowlist: [entry], project }));

  it("applies as well: the question is at least as strict as either", () => {
    const answer = askedWith({ rules: [{ tool: "*", decision: "ask", reason: "Everything is watched" }] });
    expect(answer).toMatchObject({
      decision: "ask",
      rule: {
        approvers: ["finance"],
        minApprovals: 2,
        selfApproval: false,
        onReject: "recover",
        timeoutMs: 3_600_000,
        reason: "Everything is watched",
      },
    });
    expect(answer.trace.find(({ outcome }) => outcome === "ask")).toMatchObject({
      layer: "require_approval",
      reason: "Gone for good; the project asks as well: Everything is watched",
    });
  });

  it("has no effect where it does not match", () => {
    expect(
      askedWith({
        rules: [
          { tool: "read-*", decision: "ask" },
          { tool: "*", decision: "allow" },
        ],
      }),
    ).toMatchObject({ decision: "ask", reason: "Gone for good", rule: { selfApproval: true } });
  });
});

describe("defaults of policy.yaml", () => {
  it.each([
    ["allow holds for agents that state none", { project: { allow: ["delete-*"] }, tool: critical }, "allow"],
    [
      "allow holds where the agent states it too",
      { project: { allow: ["delete-*"] }, permissions: { allow: ["delete-record"] }, tool: critical },
      "allow",
    ],
    [
      "an agent may narrow allow",
      { project: { allow: ["*"] }, permissions: { allow: ["read-*"] }, tool: critical },
      "ask",
    ],
    ["bypass of the project holds", { project: { mode: "bypass" }, tool: critical }, "allow"],
    [
      "an agent may leave the project's bypass",
      { project: { mode: "bypass" }, permissions: { mode: "default" }, tool: critical },
      "ask",
    ],
    [
      "a silent policy.yaml leaves an agent its own bypass",
      { permissions: { mode: "bypass" }, tool: critical },
      "allow",
    ],
    ["ask_from of the project holds", { project: { ask_from: "critical" } }, "allow"],
    [
      "an exact name is heard before ask_from, wherever that is stated",
      { project: { ask_from: "safe" }, allowlist: ["delete-record"] },
      "allow",
    ],
  ])("%s", (_name, changes, expected) => expect(outcome(changes)).toBe(expected));

  it("without the deployment's permission bypass does nothing", () => {
    expect(outcome({ permissions: { mode: "bypass" }, tool: critical, allowBypass: false })).toBe("ask");
  });
});

describe("an agent's permissions, whatever they are", () => {
  const pattern = fc.constantFrom("*", "delete-*", "delete-record", "crm.*", "crm.delete-record", "read-*");
  const rule = fc.record({
    tool: pattern,
    decision: fc.constantFrom("allow", "deny", "ask"),
    priority: fc.integer({ min: -5, max: 5 }),
  });
  const permissions = fc.record(
    {
      mode: fc.constantFrom(...PERMISSION_MODES),
      allow: fc.array(pattern, { maxLength: 2 }),
      deny: fc.array(pattern, { maxLength: 1 }),
      rules: fc.array(rule, { maxLength: 3 }),
      ask_from: fc.constantFrom(...DANGER_LEVELS),
      budget_usd: fc.constantFrom(0, 1, 5),
    },
    { requiredKeys: [] },
  );
  const strictness = { allow: 0, ask: 1, deny: 2 };

  /** `ask_from` is stated so that the project has an answer for every tool; what it leaves out is up to the agent. */
  it("never make a call easier than a policy.yaml that states its mode and ask_from alone", () => {
    fc.assert(
      fc.property(
        permissions,
        permissions,
        fc.constantFrom(...PERMISSION_MODES),
        fc.constantFrom(...DANGER_LEVELS),
        fc.constantFrom(...DANGER_LEVELS),
        (project, agent, mode, askFrom, danger) => {
          const shared = {
            project: { ...project, mode, ask_from: askFrom },
            tool: { facts: { danger } },
            budget: { estimatedUsd: 2 },
          };
          return strictness[outcome({ ...shared, permissions: agent })] >= strictness[outcome(shared)];
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

/** Fail safe, whatever is given: documented examples, tool state, sub-agents, server claims and junk. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "./decide";
import { intersectScopes, isGranted } from "./intersect-scopes";
import { CALL, type Changes, contextOf, scopeOf } from "./policy-fixture";
import type { PolicyContext } from "./policy-input";

const strictness = { allow: 0, ask: 1, deny: 2 };
const readOnly = { annotations: { readOnlyHint: true } };
const destructive = { annotations: { destructiveHint: true } };

describe("documented permission examples", () => {
  it("bypass allows all tools on the allowlist", () => {
    expect(decide(CALL, contextOf({ permissions: { mode: "bypass" }, tool: destructive })).decision).toBe("allow");
  });

  it("plan allows tools that read, and refuses those that write", () => {
    expect(decide(CALL, contextOf({ permissions: { mode: "plan" }, tool: readOnly })).decision).toBe("allow");
    expect(decide(CALL, contextOf({ permissions: { mode: "plan" } }))).toMatchObject({
      decision: "deny",
      code: "plan_mode",
      reason: "Plan mode: only read-only tools allowed (tried: crm.delete-record)",
    });
  });

  it("a budget of $10 with $9.50 spent refuses a tool that needs $1, with the three figures", () => {
    expect(
      decide(
        CALL,
        contextOf({ permissions: { budget_usd: 10 }, budget: { usedUsd: 9.9, toolsUsedUsd: 9.5, estimatedUsd: 1 } }),
      ),
    ).toMatchObject({
      decision: "deny",
      code: "budget_exceeded",
      reason: "Budget exceeded: $9.50 spent, $0.50 remaining, tool needs $1.00",
    });
  });

  it.each([
    ["exactly the rest fits", 9.5, 0.5, "allow"],
    ["a millionth too much does not fit", 9.5, 0.500001, "deny"],
    ["an estimate that is not a number does not fit", 0, Number.NaN, "deny"],
    ["a negative estimate cannot refill the budget", 11, -5, "deny"],
    ["an endless estimate does not fit", 0, Number.POSITIVE_INFINITY, "deny"],
  ])("budget: %s", (_name, usedUsd, estimatedUsd, answer) => {
    expect(decide(CALL, contextOf({ tool: readOnly, budget: { usedUsd, estimatedUsd, limitUsd: 10 } })).decision).toBe(
      answer,
    );
  });

  it("ten cents and twenty cents fit into thirty, whatever binary fractions say", () => {
    expect(
      decide(CALL, contextOf({ tool: readOnly, budget: { usedUsd: 0.1, estimatedUsd: 0.2, limitUsd: 0.3 } })).decision,
    ).toBe("allow");
  });

  it("a denied tool is explicitly disallowed", () => {
    expect(decide(CALL, contextOf({ permissions: { deny: ["delete-record"] } }))).toMatchObject({
      reason: "Tool 'crm.delete-record' is explicitly disallowed",
    });
  });

  it("an allowed tool runs despite its danger", () => {
    expect(
      decide(CALL, contextOf({ permissions: { allow: ["delete-record"] }, tool: { facts: { danger: "high" } } }))
        .decision,
    ).toBe("allow");
  });

  it.each([
    ["safe", "allow"],
    ["low", "allow"],
    ["medium", "ask"],
    ["high", "ask"],
    ["critical", "ask"],
  ] as const)("a %s tool in mode default: %s", (danger, answer) => {
    expect(decide(CALL, contextOf({ tool: { facts: { danger } } })).decision).toBe(answer);
  });

  it.each(["bash_command", "delete_file", "write_file", "github.merge", "Read", "get_anything"])(
    "the name %s has no effect: without annotations it is asked",
    (tool) => {
      expect(decide({ ...CALL, tool }, contextOf()).decision).toBe("ask");
    },
  );

  it("rules are evaluated by priority, and by their order among equals", () => {
    const rules = [
      { tool: "*", decision: "ask" },
      { tool: "*", decision: "deny", priority: 1 },
      { tool: "*", decision: "allow", priority: 1 },
    ];
    expect(decide(CALL, contextOf({ permissions: { rules }, tool: readOnly })).decision).toBe("deny");
  });

  it("a rule whose condition cannot be evaluated never allows", () => {
    const judge = (decision: string) =>
      decide(
        CALL,
        contextOf({ tool: readOnly, permissions: { rules: [{ tool: "*", when: "length(id)>`1`", decision }] } }),
      ).decision;
    expect([judge("allow"), judge("ask"), judge("deny")]).toEqual(["ask", "ask", "deny"]);
  });
});

describe("annotations drive approval", () => {
  it("missing metadata needs approval", () => expect(decide(CALL, contextOf()).decision).toBe("ask"));
  it("a read-only tool runs without approval", () =>
    expect(decide(CALL, contextOf({ tool: readOnly })).decision).toBe("allow"));
  it("readOnlyHint false needs approval", () =>
    expect(decide(CALL, contextOf({ tool: { annotations: { readOnlyHint: false } } })).decision).toBe("ask"));
  it("a destructive tool is asked with a warning", () =>
    expect(decide(CALL, contextOf({ tool: destructive }))).toMatchObject({
      decision: "ask",
      danger: { level: "critical", destructive: true },
    }));
  it("metadata that cannot be fetched needs approval, even if it said read-only before", () => {
    expect(decide(CALL, contextOf({ tool: { ...readOnly, listing: "unreachable" } })).decision).toBe("ask");
    expect(
      decide(CALL, contextOf({ tool: { ...readOnly, listing: "unreachable" }, permissions: { mode: "bypass" } }))
        .decision,
    ).toBe("ask");
    expect(
      decide(CALL, contextOf({ tool: { ...readOnly, listing: "unreachable" }, permissions: { mode: "plan" } }))
        .decision,
    ).toBe("deny");
  });
  it("a tool that the server does not list is refused", () => {
    expect(decide(CALL, contextOf({ tool: { listing: "unlisted" }, permissions: { mode: "bypass" } }))).toMatchObject({
      decision: "deny",
      code: "tool_unknown",
    });
  });

  const hint = fc.oneof(fc.boolean(), fc.constant(undefined), fc.string());
  const claims = fc.oneof(
    fc.anything(),
    fc.record({ readOnlyHint: hint, destructiveHint: hint }, { requiredKeys: [] }),
  );
  const changes: fc.Arbitrary<Changes> = fc.record({
    allowlist: fc.constantFrom<unknown[]>(["*"], ["delete-record"], [{ name: "*", require_approval: {} }], ["other"]),
    permissions: fc.constantFrom(
      {},
      { mode: "plan" },
      { mode: "strict" },
      { deny: ["*"] },
      { allow: ["*"] },
      { ask_from: "safe" },
      { ask_from: "critical" },
    ),
  });

  it("no claim of a server makes a call easier than the danger that the YAML states makes it", () => {
    fc.assert(
      fc.property(
        changes,
        fc.constantFrom("safe", "low", "medium", "high", "critical"),
        fc.boolean(),
        claims,
        (change, danger, yamlReadOnly, annotations) => {
          // Stating readOnlyHint too means that mode plan takes nothing from the server.
          const facts = { danger, annotations: { readOnlyHint: yamlReadOnly } };
          const byYaml = decide(CALL, contextOf({ ...change, tool: { facts } } as never)).decision;
          const withClaims = decide(CALL, contextOf({ ...change, tool: { facts, annotations } } as never)).decision;
          return strictness[withClaims] >= strictness[byYaml];
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("where the YAML states no danger, a claim changes nothing but the answers of mode plan and of the danger layer", () => {
    fc.assert(
      fc.property(changes, claims, (change, annotations) => {
        const silent = decide(CALL, contextOf(change));
        const decider = silent.trace.find((entry) => entry.outcome !== "pass")?.layer;
        return (
          decider === "plan" ||
          decider === "danger" ||
          decide(CALL, contextOf({ ...change, tool: { annotations } })).decision === silent.decision
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a definition that is not as pinned", () => {
  const pinned = (pin: PolicyContext["tool"]["pin"], hasLock: boolean, mode = "bypass") =>
    decide(CALL, contextOf({ tool: { ...readOnly, pin }, hasLock, permissions: { mode } }));

  it.each([
    ["pinned", true, "allow"],
    ["trusted_first_use", false, "allow"],
    ["changed", true, "ask"],
    ["changed", false, "ask"],
    ["new", true, "deny"],
    ["renamed", true, "deny"],
    ["new", false, "ask"],
    ["renamed", false, "ask"],
    ["nonsense", true, "ask"],
  ] as const)("%s (lock: %s) is answered with %s whatever the layers say", (pin, hasLock, answer) => {
    expect(pinned(pin as never, hasLock).decision).toBe(answer);
    expect(pinned(pin as never, hasLock, "default").decision).toBe(answer);
  });

  it("holds hidden characters, and is asked about until a person has locked it, in mode bypass too", () => {
    const hiding = (pin: PolicyContext["tool"]["pin"], hasLock: boolean) =>
      decide(CALL, contextOf({ tool: { ...readOnly, pin, hidesText: true }, hasLock, permissions: { mode: "bypass" } }))
        .decision;
    expect([
      hiding("trusted_first_use", false),
      hiding("pinned", true),
      hiding("changed", true),
      hiding("new", true),
    ]).toEqual(["ask", "allow", "ask", "deny"]);
  });

  it("does not soften a denial", () => {
    expect(decide(CALL, contextOf({ permissions: { deny: ["*"] }, tool: { pin: "changed" } }))).toMatchObject({
      decision: "deny",
      code: "denied_by_policy",
    });
  });

  it("keeps the approvers that the allowlist entry names", () => {
    const allowlist = [{ name: "delete-record", require_approval: { approvers: ["finance"], min_approvals: 2 } }];
    expect(decide(CALL, contextOf({ allowlist, tool: { pin: "changed" } }))).toMatchObject({
      decision: "ask",
      rule: { approvers: ["finance"], minApprovals: 2 },
    });
  });
});

describe("sub-agents", () => {
  const run = (parent: ReturnType<typeof scopeOf>, child: ReturnType<typeof scopeOf>, tool = {}) => ({
    ...contextOf({ tool }),
    scopes: intersectScopes([parent], child),
  });

  it("cannot call what the parent cannot", () => {
    expect(
      decide(CALL, run(scopeOf(["read-*"]), scopeOf(["delete-record"], { mode: "bypass" }, "child"))).decision,
    ).toBe("deny");
  });

  it("cannot turn the parent's wildcard into a grant by naming the tool exactly", () => {
    expect(decide(CALL, run(scopeOf(["*"]), scopeOf(["delete-record"], {}, "child"))).decision).toBe("ask");
  });

  it("ask the parent's reviewers", () => {
    const parent = scopeOf([{ name: "delete-record", require_approval: { approvers: ["finance"] } }]);
    const child = scopeOf(
      [
        {
          name: "delete-record",
          require_approval: { approvers: ["anyone"], self_approval: true, on_reject: "recover" },
        },
      ],
      {},
      "child",
    );
    expect(decide(CALL, run(parent, child))).toMatchObject({
      rule: { approvers: ["finance"], selfApproval: false, onReject: "recover" },
    });
  });

  it("are limited to the subset that the parent states", () => {
    const child = { ...scopeOf(["*"], {}, "child"), only: [{ pattern: "crm.read-*" }] };
    expect(decide(CALL, run(scopeOf(["*"]), child, readOnly))).toMatchObject({
      decision: "deny",
      code: "tool_not_permitted",
    });
    expect(decide({ ...CALL, tool: "read-all" }, run(scopeOf(["*"]), child, readOnly)).decision).toBe("allow");
    expect(isGranted([scopeOf(["*"]), child], CALL)).toBe(false);
  });

  const allowlist = fc.constantFrom<unknown[]>(
    ["*"],
    ["delete-record"],
    ["delete-*"],
    ["read-*"],
    [],
    [{ name: "*", require_approval: {} }],
    [{ name: "delete-record", require_approval: { when: "amount > `10`" } }],
  );
  const permissions = fc.constantFrom(
    {},
    { mode: "bypass" },
    { mode: "strict" },
    { allow: ["*"] },
    { ask_from: "critical" },
    { deny: ["delete-*"] },
  );

  it("never get a milder answer than their parent, whatever both files say", () => {
    fc.assert(
      fc.property(
        allowlist,
        permissions,
        allowlist,
        permissions,
        fc.boolean(),
        (ownList, own, childList, childs, isReadOnly) => {
          const parent = scopeOf(ownList, own);
          const tool = isReadOnly ? readOnly : {};
          const alone = decide(CALL, { ...contextOf({ tool }), scopes: [parent] }).decision;
          return (
            strictness[decide(CALL, run(parent, scopeOf(childList, childs, "child"), tool)).decision] >=
            strictness[alone]
          );
        },
      ),
    );
  });
});

describe("for any input", () => {
  it("never throws, and never allows a tool outside of the allowlist", () => {
    const junk = fc.anything({
      withNullPrototype: true,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
    });
    fc.assert(
      fc.property(
        fc.record({ server: junk, definition: junk, tool: junk, arguments: junk }),
        fc.record({ scopes: junk, project: junk, tool: junk, budget: junk, deployment: junk }),
        (call, context) => decide(call as never, context as never).decision === "deny",
      ),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(
        fc.string(),
        junk,
        (tool, args) =>
          tool === "delete-record" ||
          decide(
            { ...CALL, tool, arguments: args },
            contextOf({ allowlist: ["delete-record"], permissions: { mode: "bypass" } }),
          ).decision === "deny",
      ),
    );
  });

  it.each([[null], [undefined], ["call"], [7], [[]]])("%o as a call is refused", (call) => {
    expect(decide(call as never, contextOf())).toMatchObject({ decision: "deny", code: "policy_failed" });
  });

  it("a call that throws when it is read is refused", () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap");
        },
      },
    );
    expect(decide(trap as never, contextOf())).toMatchObject({ decision: "deny", code: "policy_failed" });
    expect(
      decide({ ...CALL, arguments: trap }, contextOf({ allowlist: [{ name: "*", require_approval: { when: "a" } }] }))
        .decision,
    ).toBe("ask");
  });

  it("a policy without any agent refuses", () =>
    expect(decide(CALL, { ...contextOf(), scopes: [] })).toMatchObject({ decision: "deny", code: "policy_failed" }));

  it("a server cannot get another's grant by naming its tool server.tool", () => {
    const scope = {
      ...scopeOf([]),
      servers: [{ name: "evil", definition: "evil", grants: [{ pattern: "*", requireApproval: null }] }],
    };
    const context = { ...contextOf({ project: { allow: ["crm.*"] } }), scopes: [scope] };
    expect(decide({ server: "evil", definition: "evil", tool: "crm.read", arguments: {} }, context).decision).toBe(
      "ask",
    );
  });
});

describe("names that agents give to servers", () => {
  const any = [{ pattern: "*", requireApproval: null }];
  const known = (name: string, definition: string, agent = "triage", grants = any) => ({
    ...scopeOf([], {}, agent),
    servers: [{ name, definition, grants }],
  });
  const call = { ...CALL, server: "mine", definition: "crm" };

  it("another name does not bypass what the project denies", () => {
    expect(
      decide(call, { ...contextOf({ project: { deny: ["crm.delete-*"] } }), scopes: [known("mine", "crm")] }).decision,
    ).toBe("deny");
    expect(
      decide(call, {
        ...contextOf({ project: { rules: [{ tool: "crm.*", decision: "deny" }] } }),
        scopes: [known("mine", "crm")],
      }).decision,
    ).toBe("deny");
  });

  it("another server does not get what the project allows by taking its name", () => {
    const taken = { ...CALL, server: "crm", definition: "evil" };
    expect(
      decide(taken, { ...contextOf({ project: { allow: ["crm.*"] } }), scopes: [known("crm", "evil")] }).decision,
    ).toBe("ask");
    expect(
      decide(taken, {
        ...contextOf({ project: { rules: [{ tool: "crm.*", decision: "allow" }] } }),
        scopes: [known("crm", "evil")],
      }).decision,
    ).toBe("ask");
  });

  it("an agent's own permissions may use its own name for a server", () => {
    const scope = { ...known("mine", "crm"), permissions: { allow: [{ pattern: "mine.*" }] } };
    expect(decide(call, { ...contextOf(), scopes: [scope] }).decision).toBe("allow");
  });

  it("a sub-agent does not reach another server by the name that its parent has for one", () => {
    const chain = intersectScopes([known("crm", "crm-readonly")], known("crm", "crm-admin", "child"));
    expect(
      decide({ ...CALL, definition: "crm-admin" }, { ...contextOf({ tool: readOnly }), scopes: chain }).decision,
    ).toBe("deny");
    expect(isGranted(chain, { ...CALL, definition: "crm-admin" })).toBe(false);
  });

  it("a sub-agent reaches its parent's server by a name of its own", () => {
    const chain = intersectScopes([known("crm", "crm")], known("mine", "crm", "child"));
    expect(decide(call, { ...contextOf({ tool: readOnly }), scopes: chain }).decision).toBe("allow");
  });

  it("one server under two names has two allowlists", () => {
    const scope = {
      ...scopeOf([]),
      servers: [
        { name: "eu", definition: "crm", grants: any },
        { name: "us", definition: "crm", grants: [] },
      ],
    };
    const judge = (server: string) =>
      decide({ ...CALL, server }, { ...contextOf({ tool: readOnly }), scopes: [scope] }).decision;
    expect([judge("eu"), judge("us")]).toEqual(["allow", "deny"]);
  });
});

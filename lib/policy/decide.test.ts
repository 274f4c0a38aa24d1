import { describe, expect, it } from "vitest";
import { allowlistSchema } from "@/lib/config/permission-schema";
import { decide } from "./decide";
import type { PolicyDecision, PolicyLayer } from "./policy-answer";
import { toGrants } from "./policy-input";
import { at, CALL, type Changes, contextOf, scopeOf } from "./policy-fixture";

type Answer = "allow" | "deny" | "ask";

/**
 * For each layer, all the ways in which it alone answers. `context` changes that cannot be written as YAML come last.
 */
const ANSWERS: { layer: PolicyLayer; answer: Answer; mode?: string; changes: Changes; only?: true }[] = [
  { layer: "allowlist", answer: "deny", changes: {}, only: true },
  { layer: "bypass", answer: "allow", mode: "bypass", changes: {} },
  {
    layer: "budget",
    answer: "deny",
    changes: { budget: { usedUsd: 9.5, toolsUsedUsd: 0, estimatedUsd: 1, limitUsd: 10 } },
  },
  { layer: "plan", answer: "deny", mode: "plan", changes: {} },
  { layer: "deny", answer: "deny", changes: { permissions: { deny: ["delete-*"] } } },
  { layer: "require_approval", answer: "ask", changes: { allowlist: [{ name: "*", require_approval: {} }] } },
  { layer: "allow", answer: "allow", changes: { permissions: { allow: ["delete-record"] } } },
  { layer: "allow", answer: "allow", changes: { allowlist: ["delete-record"] } },
  { layer: "rules", answer: "deny", changes: { permissions: { rules: [{ tool: "delete-*", decision: "deny" }] } } },
  { layer: "rules", answer: "ask", changes: { permissions: { rules: [{ tool: "delete-*", decision: "ask" }] } } },
  { layer: "rules", answer: "allow", changes: { permissions: { rules: [{ tool: "delete-*", decision: "allow" }] } } },
  { layer: "danger", answer: "ask", changes: { tool: { facts: { danger: "critical" } } } },
  { layer: "danger", answer: "allow", changes: { tool: { facts: { danger: "low" } } } },
  { layer: "strict", answer: "ask", mode: "strict", changes: { tool: { facts: { danger: "low" } } } },
];

const ORDER: PolicyLayer[] = [
  "allowlist",
  "bypass",
  "budget",
  "plan",
  "deny",
  "require_approval",
  "allow",
  "rules",
  "danger",
  "strict",
];

function build(parts: typeof ANSWERS) {
  const permissions = Object.assign(
    {},
    ...parts.map((part) => part.changes.permissions ?? {}),
    ...parts.map((part) => (part.mode ? { mode: part.mode } : {})),
  );
  const context = contextOf({
    ...Object.assign({}, ...parts.map((part) => part.changes)),
    permissions,
    allowlist:
      parts.flatMap((part) => part.changes.allowlist ?? []).length > 0
        ? parts.flatMap((part) => part.changes.allowlist ?? [])
        : ["*"],
  });
  if (parts.some((part) => part.only))
    context.scopes = context.scopes.map((scope) => ({ ...scope, only: [{ pattern: "crm.read" }] }));
  return context;
}

function decidedBy(decision: PolicyDecision) {
  return decision.trace.find((entry) => entry.outcome !== "pass")?.layer;
}

describe("each layer by itself", () => {
  it.each(ANSWERS)("$layer can answer $answer", (part) => {
    const decision = decide(CALL, build([part]));
    expect([decidedBy(decision), decision.decision]).toEqual([part.layer, part.answer]);
  });

  it("covers all ten layers, in the order in which a trace lists them", () => {
    expect([...new Set(ANSWERS.map((part) => part.layer))]).toEqual(ORDER);
    expect(decide(CALL, build([ANSWERS.at(-1) as (typeof ANSWERS)[number]])).trace.map((entry) => entry.layer)).toEqual(
      [...ORDER, "tool_list", "pin"],
    );
  });
});

/** Only one mode applies at a time, and the two allowlist forms replace each other; all other pairs can both answer. */
function canBothAnswer(first: (typeof ANSWERS)[number], second: (typeof ANSWERS)[number]): boolean {
  const isOneMode = first.mode === undefined || second.mode === undefined;
  // A tool that strict must ask about, or that danger allows, is not one that danger asks about.
  const isOneDanger = !(first.layer === "danger" && second.layer === "strict");
  // Only the more specific of two allowlist entries counts, so approval on `*` does not meet an exact name.
  const isOneEntry = first.changes.allowlist === undefined || second.changes.allowlist === undefined;
  return isOneMode && isOneDanger && isOneEntry;
}

const PAIRS = ANSWERS.flatMap((first) =>
  ANSWERS.filter(
    (second) => ORDER.indexOf(first.layer) < ORDER.indexOf(second.layer) && canBothAnswer(first, second),
  ).map((second) => ({
    first,
    second,
    name: `${first.layer} (${first.answer}) is heard before ${second.layer} (${second.answer})`,
  })),
);

describe("every pair of layers that could both answer: the earlier one wins", () => {
  it("is a table of all such pairs", () => expect(PAIRS.length).toBeGreaterThan(60));

  it.each(PAIRS)("$name", ({ first, second }) => {
    if (first.changes.allowlist?.[0] === "delete-record" && second.mode === "strict")
      return expectStrictBeatsExactName();
    const decision = decide(CALL, build([second, first]));
    expect([decidedBy(decision), decision.decision]).toEqual([first.layer, first.answer]);
  });

  /** The one exception that the order itself states: an exact name does not count in mode strict. */
  function expectStrictBeatsExactName() {
    const decision = decide(
      CALL,
      contextOf({ allowlist: ["delete-record"], permissions: { mode: "strict" }, tool: { facts: { danger: "low" } } }),
    );
    expect([decidedBy(decision), decision.decision]).toEqual(["strict", "ask"]);
  }
});

describe("the answer names its source", () => {
  it("names the file and line of the allowlist entry that asked", () => {
    const decision = decide(
      CALL,
      contextOf({ allowlist: ["*", { name: "delete-record", require_approval: { reason: "Irreversible" } }] }),
    );
    expect(decision.trace.find((entry) => entry.layer === "require_approval")).toEqual({
      layer: "require_approval",
      outcome: "ask",
      reason: "Irreversible",
      agent: "triage",
      source: at("agents/triage.agent.yaml")([1, "require_approval"]),
    });
  });

  it("names policy.yaml when the project's rule decided", () => {
    const decision = decide(CALL, contextOf({ project: { deny: ["crm.delete-*"] } }));
    expect(decision.trace.at(-1)?.source?.file).toBe("policy.yaml");
  });

  it("carries every field of require_approval into the rule", () => {
    const required = {
      on_reject: "recover",
      timeout: "30m",
      timeout_behavior: "reject",
      approvers: ["finance"],
      min_approvals: 2,
      self_approval: true,
      edit: false,
      reason: "Irreversible",
      reject_reasons: ["Wrong customer"],
      escalate: { after: "10m", to: ["leads"] },
    };
    expect(
      decide(CALL, contextOf({ allowlist: [{ name: "delete-record", require_approval: required }] })),
    ).toMatchObject({
      decision: "ask",
      rule: {
        onReject: "recover",
        timeoutMs: 1_800_000,
        timeoutBehavior: "reject",
        approvers: ["finance"],
        minApprovals: 2,
        selfApproval: true,
        edit: false,
        reason: "Irreversible",
        rejectReasons: ["Wrong customer"],
        escalate: { afterMs: 600_000, to: ["leads"] },
      },
    });
  });
});

describe("the allowlist", () => {
  it.each([
    ["exact before prefix", ["delete-record", { name: "delete-*", require_approval: {} }], "allow"],
    ["longer prefix before shorter", [{ name: "delete-r*", require_approval: {} }, "delete-*"], "ask"],
    ["prefix before *", [{ name: "*", require_approval: {} }, "delete-*"], "allow"],
    ["equal: the stricter", ["delete-record", { name: "delete-record", require_approval: {} }], "ask"],
    [
      "equal, in the other order: the stricter",
      [{ name: "delete-record", require_approval: {} }, "delete-record"],
      "ask",
    ],
  ])("the most specific entry wins: %s", (_name, allowlist, answer) => {
    expect(decide(CALL, contextOf({ allowlist, tool: { facts: { danger: "low" } } })).decision).toBe(answer);
  });

  it("of two equal entries that both ask, the rule takes the stricter of each field", () => {
    const allowlist = [
      { name: "delete-record", require_approval: { min_approvals: 2, self_approval: true } },
      { name: "delete-record", require_approval: { edit: false } },
    ];
    expect(decide(CALL, contextOf({ allowlist }))).toMatchObject({
      rule: { minApprovals: 2, selfApproval: false, edit: false },
    });
  });

  it.each(["constructor", "__proto__", "toString"])(
    "a server named %s that the agent does not have grants nothing",
    (server) => {
      expect(
        decide({ ...CALL, server, definition: server }, contextOf({ permissions: { mode: "bypass" } })),
      ).toMatchObject({ decision: "deny", code: "tool_not_permitted" });
    },
  );

  it("is empty: nothing can be called", () => {
    expect(decide(CALL, contextOf({ allowlist: [] }))).toMatchObject({ decision: "deny", code: "tool_not_permitted" });
  });

  it("a wildcard inside a name, should one get past the schema, fits nothing", () => {
    const grants = [
      { pattern: "de*te-record", requireApproval: null },
      { pattern: "de*cord*", requireApproval: null },
    ];
    const scope = { ...scopeOf([]), servers: [{ name: "crm", definition: "crm", grants }] };
    expect(decide(CALL, { ...contextOf(), scopes: [scope] }).decision).toBe("deny");
  });
});

describe("when", () => {
  const ask = (when: string, args: unknown) =>
    decide(
      { ...CALL, arguments: args },
      contextOf({ allowlist: [{ name: "delete-record", require_approval: { when } }] }),
    ).decision;

  it.each([
    ["true asks", "amount > `1000`", { amount: 1001 }, "ask"],
    ["false does not ask, and the exact name then allows", "amount > `1000`", { amount: 1000 }, "allow"],
    ["a number given as text cannot slip under the limit", "amount > `1000`", { amount: "5000" }, "ask"],
    ["a missing argument cannot slip under the limit", "amount > `1000`", {}, "ask"],
    [
      "a wrong type inside a filter cannot slip under the limit",
      "items[?price > `10`]",
      { items: [{ price: "99" }] },
      "ask",
    ],
    ["a function that throws asks", "length(id) > `3`", { id: 7 }, "ask"],
    ["null asks", "options.force", {}, "ask"],
    ["a key of Object.prototype is not there", "constructor", {}, "ask"],
    ["an empty list is false", "items[?price > `10`]", { items: [{ price: 1 }] }, "allow"],
    ["arguments that are no JSON ask", "amount > `1`", { amount: Number.NaN }, "ask"],
    ["no arguments at all ask", "amount > `1`", undefined, "ask"],
  ])("%s", (_name, when, args, answer) => expect(ask(when, args)).toBe(answer));

  it("an expression that does not compile, should one get past the schema, asks", () => {
    const grants = toGrants(allowlistSchema.parse([{ name: "delete-record", require_approval: {} }]));
    const [grant] = grants;
    if (grant?.requireApproval) grant.requireApproval.when = "amount >";
    const decision = decide(CALL, {
      ...contextOf(),
      scopes: [{ ...scopeOf([]), servers: [{ name: "crm", definition: "crm", grants }] }],
    });
    expect(decision.decision).toBe("ask");
  });

  it("on a wildcard entry, false leaves the call to the later layers", () => {
    const allowlist = [{ name: "*", require_approval: { when: "amount > `1000`" } }];
    expect(decidedBy(decide(CALL, contextOf({ allowlist })))).toBe("danger");
  });
});

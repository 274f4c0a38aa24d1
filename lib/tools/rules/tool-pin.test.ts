import { expect, test } from "vitest";
import { fingerprintTool, fingerprintToolSet, pinOf, type ToolDefinition } from "./tool-fingerprint";
import { isAsTrusted, judgePin } from "./tool-pin";

const tool: ToolDefinition = {
  name: "refund",
  title: "Refund",
  description: "Pays money back",
  inputSchema: { type: "object", properties: { amount: { type: "number" } } },
  outputSchema: { type: "object" },
  annotations: { destructiveHint: true },
};

test("the fingerprint does not depend on the order of fields, and has a fixed form", () => {
  const turned = Object.fromEntries(Object.entries(tool).toReversed()) as unknown as ToolDefinition;
  expect(fingerprintTool(turned)).toBe(fingerprintTool(tool));
  expect(fingerprintTool(tool)).toMatch(/^sha256:[0-9a-f]{64}$/);
  // Lock files of projects contain such hashes: if this one changes, every lock becomes invalid.
  expect(fingerprintTool({ name: "a", inputSchema: { type: "object" } })).toBe(
    "sha256:60d4353e9a5499b483d09f13d9e28060e70f34edf787bb7040ba30bd390f85af",
  );
});

test.each<[string, Partial<ToolDefinition>]>([
  ["name", { name: "refunds" }],
  ["title", { title: "Refund " }],
  ["description by an invisible character", { description: "Pays money back\u200B" }],
  ["inputSchema", { inputSchema: { type: "object", properties: { amount: { type: "number", maximum: 5 } } } }],
  ["outputSchema", { outputSchema: undefined }],
  ["annotations", { annotations: { destructiveHint: false } }],
])("a change of %s is a change", (_field, change) => {
  expect(fingerprintTool({ ...tool, ...change })).not.toBe(fingerprintTool(tool));
});

test("the hash of a set depends on the tools and not on their order", () => {
  const other = { ...tool, name: "other" };
  expect(fingerprintToolSet([tool, other])).toBe(fingerprintToolSet([other, tool]));
  expect(fingerprintToolSet([tool])).not.toBe(fingerprintToolSet([tool, other]));
});

const book = { refund: pinOf(tool) };
const changed = { ...tool, description: "Pays to the attacker" };
const renamed = { ...tool, name: "refund-v2" };
const fresh = { ...tool, name: "wire", description: "Sends money" };

test.each([
  ["as locked", tool, book, null, "pinned"],
  ["other than locked", changed, book, null, "changed"],
  ["locked under another name", renamed, book, null, "renamed"],
  ["not in the lock", fresh, book, null, "new"],
  ["of a server that the lock does not have", tool, {}, null, "new"],
  ["not in the lock, though once seen", fresh, book, { wire: pinOf(fresh) }, "new"],
  ["first seen, without a lock", tool, null, null, "trusted_first_use"],
  ["as first seen", tool, null, book, "trusted_first_use"],
  ["other than first seen", changed, null, book, "changed"],
  ["renamed since", renamed, null, book, "renamed"],
  ["added since", fresh, null, book, "new"],
  ["named like a part of every object", { ...fresh, name: "constructor" }, book, null, "new"],
] as const)("a tool %s", (_what, definition, lock, firstUse, expected) => {
  expect(judgePin(definition, lock, firstUse)).toBe(expected);
  expect(
    isAsTrusted({ tool: definition.name, fingerprint: fingerprintTool(definition) }, lock, firstUse),
    "by the fingerprint alone",
  ).toBe(expected === "pinned" || expected === "trusted_first_use");
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assessDanger, DANGER_LEVELS, isAtLeast } from "./danger";

describe("danger from annotations", () => {
  it.each([
    ["none at all", undefined, "high"],
    ["null", null, "high"],
    ["an empty object", {}, "high"],
    ["only a title", { title: "Read things" }, "high"],
    ["only hints nobody knows", { safeHint: true }, "high"],
    ["a string", "readOnlyHint", "high"],
    ["a list", [{ readOnlyHint: true }], "high"],
    ["a hint that is text", { readOnlyHint: "true" }, "high"],
    ["a hint that is a number", { readOnlyHint: 1 }, "high"],
    ["read-only, beside a malformed hint", { readOnlyHint: true, destructiveHint: "no" }, "high"],
    ["read-only", { readOnlyHint: true }, "safe"],
    ["writes, without a word on destroying", { readOnlyHint: false }, "high"],
    ["writes without destroying", { readOnlyHint: false, destructiveHint: false }, "medium"],
    ["does not destroy, without a word on writing", { destructiveHint: false }, "medium"],
    ["destroys", { destructiveHint: true }, "critical"],
    ["claims to read and to destroy", { readOnlyHint: true, destructiveHint: true }, "critical"],
    ["an inherited hint", Object.create({ readOnlyHint: true }), "high"],
  ])("%s", (_name, annotations, level) => expect(assessDanger(annotations).level).toBe(level));

  it("a tool is read-only only when that is stated and nothing contradicts it", () => {
    expect(assessDanger({ readOnlyHint: true }).readOnly).toBe(true);
    expect(assessDanger(undefined, { annotations: { readOnlyHint: true } }).readOnly).toBe(true);
    expect(assessDanger({ readOnlyHint: false }, { annotations: { readOnlyHint: true } }).readOnly).toBe(false);
    expect(assessDanger({ readOnlyHint: true }, { annotations: { destructiveHint: true } }).readOnly).toBe(false);
  });
});

describe("danger from the server file", () => {
  it.each([
    ["fills in what the server does not say", undefined, { danger: "low" }, "low"],
    ["fills in annotations", undefined, { annotations: { readOnlyHint: true } }, "safe"],
    ["raises what the server says", { readOnlyHint: true }, { danger: "high" }, "high"],
    ["raises by annotation", { readOnlyHint: true }, { annotations: { destructiveHint: true } }, "critical"],
    ["cannot make a destructive tool safe", { destructiveHint: true }, { danger: "safe" }, "critical"],
    ["cannot make a writing tool safe", { readOnlyHint: false }, { danger: "safe" }, "medium"],
    [
      "cannot make a tool safe that writes without destroying",
      { readOnlyHint: false, destructiveHint: false },
      { danger: "safe" },
      "medium",
    ],
    [
      "may call a tool low of which the server only says that it does not destroy",
      { destructiveHint: false },
      { danger: "low" },
      "low",
    ],
    ["cannot make malformed annotations safe", { readOnlyHint: "yes" }, { danger: "safe" }, "high"],
    ["is not lowered by a server that claims to read only", { readOnlyHint: true }, { danger: "critical" }, "critical"],
    [
      "is not lowered by a server that denies destroying",
      { destructiveHint: false },
      { annotations: { destructiveHint: true } },
      "critical",
    ],
  ] as const)("%s", (_name, declared, stated, level) => expect(assessDanger(declared, stated).level).toBe(level));

  const hint = fc.oneof(fc.boolean(), fc.constant(undefined), fc.anything());
  const claims = fc.oneof(
    fc.anything(),
    fc.record({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint }, { requiredKeys: [] }),
  );
  const annotations = fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }, { requiredKeys: [] });

  it("whatever a server claims, the level is never below the danger that the file states", () => {
    fc.assert(
      fc.property(claims, fc.constantFrom(...DANGER_LEVELS), annotations, (declared, danger, stated) =>
        isAtLeast(assessDanger(declared, { danger, annotations: stated }).level, danger),
      ),
    );
  });

  it("whatever a server claims, a tool that the file calls destructive stays critical", () => {
    fc.assert(
      fc.property(
        claims,
        (declared) => assessDanger(declared, { annotations: { destructiveHint: true } }).level === "critical",
      ),
    );
  });
});

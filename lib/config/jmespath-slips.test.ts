import { describe, expect, it } from "vitest";
import { compile } from "./jmespath";
import { findSlip } from "./jmespath-slips";

describe("literals without their quotes", () => {
  it.each([
    ["force == true", "`true`"],
    ["false == off", "`false`"],
    ['currency == "EUR"', "'EUR'"],
    ['step.parse.priority == "high"', "'high'"],
    ['contains(tags, "vip")', "'vip'"],
  ])("%s is false where it was meant to be true, and answered with %s", (source, meant) => {
    expect(
      compile(source).evaluate({
        force: true,
        off: false,
        currency: "EUR",
        tags: ["vip"],
        step: { parse: { priority: "high" } },
      }),
    ).toBe(false);
    expect(findSlip(source)).toContain(`write ${meant}`);
  });

  it.each([
    "force == `true`",
    "currency == 'EUR'",
    "a == b",
    'a == "with-hyphen"',
    'step."a-step".n > `5`',
    'a == "b".c',
    "x == 'a == true'",
    "is_true == a",
    'results."issue-refund"',
    "a.true == b",
    "a.b != null",
    "not_null(a, b)",
    "flag",
    "contains(tags, vip)",
    "status.\"orders-read\" == 'failed'",
  ])("%s is left alone", (source) => expect(findSlip(source)).toBeNull());
});

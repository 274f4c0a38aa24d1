import { describe, expect, test } from "vitest";
import { summarizeCall, titleOf } from "@/lib/approvals/rules/summarize-call";

describe("the sentence on the card", () => {
  test("is the file's own, with the arguments in it", () => {
    expect(
      summarizeCall({ name: "issue-refund" }, "Refund {{ args.amount }} {{ args.currency }}", {
        amount: 5,
        currency: "EUR",
      }),
    ).toBe("Refund 5 EUR");
  });

  test("is the tool's title and its short arguments when there is no template, or when it names an absent argument", () => {
    expect(
      summarizeCall({ name: "t", title: "Delete record" }, undefined, {
        id: 7,
        deep: { x: 1 },
        long: "y".repeat(100),
        sure: true,
      }),
    ).toBe("Delete record: id 7, sure true");
    expect(summarizeCall({ name: "t" }, "Refund {{ args.amount }}", { id: 7 })).toBe("t: id 7");
    expect(summarizeCall({ name: "t" }, undefined, {})).toBe("t");
  });

  test("prefers the title of the server's file over the server's own, wherever the server gives it", () => {
    expect(titleOf({ title: "Own", annotations: { title: "Hint" } }, { annotations: { title: "Ours" } })).toBe("Ours");
    expect(titleOf({ title: "Own", annotations: { title: "Hint" } }, {})).toBe("Own");
    expect(titleOf({ title: " ", annotations: { title: "Hint" } }, undefined)).toBe("Hint");
    expect([
      titleOf({ annotations: { title: 7 } }, {}),
      titleOf({ annotations: "x" }, {}),
      titleOf(undefined, undefined),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test("writes a list of plain words as a list, and any other as JSON", () => {
    const say = (to: unknown, template = "Write to {{ args.to }}") => summarizeCall({ name: "t" }, template, { to });
    expect(say(["ana@example.org", "ben@example.org"])).toBe("Write to ana@example.org, ben@example.org");
    expect(say([7, 8])).toBe("Write to 7, 8");
    expect(say(["ana@example.org, ben@example.org"])).toBe('Write to ["ana@example.org, ben@example.org"]');
    expect(say(["a", { b: 1 }])).toBe('Write to ["a",{"b":1}]');
    expect(say([])).toBe("Write to []");
    expect(say(["ana@example.org", "x"], "Write to {{ args.to.0 }} first")).toBe("Write to ana@example.org first");
  });

  test("shows four arguments at most", () => {
    expect(summarizeCall({ name: "t" }, undefined, { a: 1, b: 2, c: 3, d: 4, e: 5 })).toBe("t: a 1, b 2, c 3, d 4");
  });
});

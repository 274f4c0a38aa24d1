import { describe, expect, test } from "vitest";
import { ageSchema } from "./age";

const DAY_MS = 86_400_000;

describe("ages", () => {
  test.each([
    ["1d", DAY_MS],
    ["90d", 90 * DAY_MS],
    ["7y", 7 * 366 * DAY_MS],
    ["9999d", 9999 * DAY_MS],
  ])("%s is %d ms", (text, ms) => {
    expect(ageSchema().parse(text)).toBe(ms);
  });

  test.each([
    [90, "expected"],
    ["90", "is not an age"],
    ["0d", "is not an age"],
    ["1.5y", "is not an age"],
    ["2h", 'such as "90d" or "7y"'],
    ["", "is not an age"],
    [null, "expected"],
  ])("%j is refused", (text, message) => {
    expect(ageSchema().safeParse(text).error?.issues[0]?.message).toContain(message);
  });
});

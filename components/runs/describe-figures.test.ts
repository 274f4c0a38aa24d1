import { describe, expect, test } from "vitest";
import { describeCost, describeCount, describeDuration, describeTicks } from "./describe-figures";

describe("a length of time", () => {
  test.each([
    [0, "0 ms"],
    [-5, "0 ms"],
    [840, "840 ms"],
    [4_260, "4.2 s"],
    [9_999, "9.9 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [192_000, "3 min 12 s"],
    [3_600_000, "1 h"],
    [2 * 86_400_000 + 4 * 3_600_000, "2 d 4 h"],
  ])("%i ms reads %s and never more than passed", (ms, text) => {
    expect(describeDuration(ms)).toBe(text);
  });
});

test.each([
  [0, "$0"],
  [0.00000123, "under $0.0001"],
  [0.0021, "$0.0021"],
  [12.5, "$12.50"],
])("a cost of %d reads %s, and a small cost never reads as zero", (usd, text) => {
  expect(describeCost(usd)).toBe(text);
});

test("one thing and many things agree with their number", () => {
  expect([describeCount(1, "call"), describeCount(1200, "call"), describeCount(2, "try", "tries")]).toEqual([
    "1 call",
    "1,200 calls",
    "2 tries",
  ]);
});

test.each([
  [
    [0, 500, 2_000],
    ["0 ms", "500 ms", "2.0 s"],
  ],
  [
    [7_200_000, 7_215_000, 7_230_000],
    ["2:00:00", "2:00:15", "2:00:30"],
  ],
  [
    [211_000, 211_250, 211_500],
    ["3:31.0", "3:31.2", "3:31.5"],
  ],
  [
    [211_000, 211_004, 211_008],
    ["3:31.000", "3:31.004", "3:31.008"],
  ],
])("ticks at %j are distinguishable", (times, labels) => {
  expect(describeTicks(times)).toEqual(labels);
});

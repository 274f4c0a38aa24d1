import { expect, it } from "vitest";
import { describeDuration, describeLeft } from "./describe-left";

const MIN = 60_000;
const HOUR = 60 * MIN;

it.each([
  [-5, "0:00"],
  [999, "0:00"],
  [14 * MIN + 32_999, "14:32"],
  [59 * MIN + 59_000, "59:59"],
  [HOUR, "1 h"],
  [HOUR + 12 * MIN + 59_000, "1 h 12 min"],
  [7 * 24 * HOUR - 1, "6 d 23 h"],
  [48 * HOUR, "2 d"],
])("%i ms are shown as %s, never as more than there is", (ms, words) => {
  expect(describeLeft(ms)).toBe(words);
});

it.each([
  [200, "1 s"],
  [22_400, "22 s"],
  [4 * MIN, "4 min"],
  [3 * HOUR, "3 h"],
  [50 * HOUR, "2 d"],
])("a duration of %i ms reads %s", (ms, words) => {
  expect(describeDuration(ms)).toBe(words);
});

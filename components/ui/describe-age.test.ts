import { expect, it } from "vitest";
import { describeAge } from "./describe-age";

const now = "2026-03-10T12:00:00.000Z";

it.each([
  ["2026-03-10T11:59:30.000Z", "just now"],
  ["2026-03-10T11:57:01.000Z", "2 min ago"],
  ["2026-03-10T08:59:00.000Z", "3 h ago"],
  ["2026-03-08T11:00:00.000Z", "2 d ago"],
  ["2025-12-24T11:00:00.000Z", "2025-12-24"],
  ["2026-03-10T12:00:20.000Z", "in under a minute"],
  ["2026-03-10T13:59:00.000Z", "in 1 h"],
  ["2026-05-01T00:00:00.000Z", "2026-05-01"],
])("%s reads as %s, never nearer or further than it is", (at, words) => {
  expect(describeAge(at, now)).toBe(words);
});

it.each([
  ["Pacific/Auckland", "2025-12-25"],
  ["America/New_York", "2025-12-24"],
])("a day of long ago is the day it was in %s", (zone, words) => {
  expect(describeAge("2025-12-24T23:30:00.000Z", now, zone)).toBe(words);
});

import { expect, it } from "vitest";
import { liesAside, returnTime } from "./set-aside";

const MIN = 60_000;
const now = new Date("2026-03-01T10:00:00Z");
const at = (minutes: number) => new Date(now.getTime() + minutes * MIN);

it.each([
  ["a call without an end comes back when it was said", 60, null, 60],
  ["or only by a change", null, null, null],
  ["a call with an end comes back a quarter of an hour before it", null, 120, 105],
  ["however long it was set aside for", 24 * 60, 120, 105],
  ["a shorter time holds", 30, 120, 30],
  ["of a call that ends soon half the time is left", 60, 10, 5],
])("%s", (_, minutes, expiry, expected) => {
  expect(returnTime(now, minutes === null ? null : minutes * MIN, expiry === null ? null : at(expiry))).toEqual(
    expected === null ? null : at(expected),
  );
});

it.each([
  ["until its time comes", at(1), 3, true],
  ["not after it", at(0), 3, false],
  ["without a time for as long as nothing changes", null, 3, true],
  ["not when something has changed", at(60), 4, false],
])("lies aside %s", (_name, until, current, lies) => {
  expect(liesAside({ until, version: 3 }, current, now)).toBe(lies);
});

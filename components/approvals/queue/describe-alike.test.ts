import { expect, test } from "vitest";
import { describeAlike } from "./describe-alike";

test("says nothing of calls that differ", () => {
  expect(describeAlike([])).toBeNull();
  expect(describeAlike([1, 1, 1])).toBeNull();
});

test("counts the calls of one kind", () => {
  expect(describeAlike([2, 1])).toBe("2 of them are exactly alike: the same tool with the same arguments.");
  expect(describeAlike([3])).toBe("All 3 of them are exactly alike: the same tool with the same arguments.");
});

test("counts all that are equal, and how many kinds they are", () => {
  expect(describeAlike([2, 3, 1])).toBe(
    "5 of them are 2 calls, each asked for more than once: the same tool with the same arguments.",
  );
  expect(describeAlike([2, 2, 2])).toBe(
    "All 6 of them are 3 calls, each asked for more than once: the same tool with the same arguments.",
  );
});

import { expect, test } from "vitest";
import { takeEarlyKey } from "./early-text";

const type = (...keys: string[]) => keys.reduce(takeEarlyKey, { text: "", isSent: false });

test("letters, Backspace and Enter do what they would have done in the field", () => {
  expect(type("a", "u", "x", "Backspace", "d")).toEqual({ text: "aud", isSent: false });
  expect(type("a", "Enter")).toEqual({ text: "a", isSent: true });
  expect(type("a", "Enter", "b"), "whoever types on has not sent it").toEqual({ text: "ab", isSent: false });
});

test("keys that write nothing change nothing, and Enter alone sends nothing", () => {
  expect(type("Shift", "A", "ArrowDown", "F5")).toEqual({ text: "A", isSent: false });
  expect(type("Enter")).toEqual({ text: "", isSent: false });
});

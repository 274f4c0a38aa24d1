import { expect, it } from "vitest";
import { isWithin } from "./destinations";

it("marks a destination for its own page and the pages under it, and for no other", () => {
  expect(isWithin("/history", "/history")).toBe(true);
  expect(isWithin("/history/run_1", "/history")).toBe(true);
  expect(isWithin("/historyx", "/history")).toBe(false);
  expect(isWithin("/", "/history")).toBe(false);
});

import { expect, it } from "vitest";
import { describeViewers } from "./viewers";

it("names two and counts the rest", () => {
  expect(describeViewers([])).toBeNull();
  expect(describeViewers(["Ana"])).toBe("Ana is looking");
  expect(describeViewers(["Ana", "Ben"])).toBe("Ana and Ben are looking");
  expect(describeViewers(["Ana", "Ben", "Cy", "Di"])).toBe("Ana, Ben and 2 more are looking");
});

import { expect, it } from "vitest";
import { describeLookers } from "./lookers";

it("names two and counts the rest", () => {
  expect(describeLookers([])).toBeNull();
  expect(describeLookers(["Ana"])).toBe("Ana is looking");
  expect(describeLookers(["Ana", "Ben"])).toBe("Ana and Ben are looking");
  expect(describeLookers(["Ana", "Ben", "Cy", "Di"])).toBe("Ana, Ben and 2 more are looking");
});

import { expect, it } from "vitest";
import { ShownNames } from "./shown-names";

it("knows what is on the page, for as long as it is there", () => {
  const names = new ShownNames();
  names.show({ a: "Pay", b: "Refund" }, 0);
  names.show({ a: "Pay €40", b: "Refund" }, 5_000);
  expect(names.find("a", 900_000)).toBe("Pay €40");
  expect(names.find("b", 900_000)).toBe("Refund");
  expect(names.find("c", 5_000)).toBeUndefined();
  expect(names.find(null, 5_000)).toBeUndefined();
});

it("still knows what has just left the page, and forgets it after a while", () => {
  const names = new ShownNames();
  names.show({ a: "Pay", b: "Refund" }, 0);
  names.show({ b: "Refund" }, 1_000);
  names.show({ b: "Refund" }, 2_000);
  expect(names.find("a", 11_000)).toBe("Pay");
  expect(names.find("a", 11_001)).toBeUndefined();
  names.show({}, 12_000);
  expect(names.find("b", 12_000)).toBe("Refund");
});

it("what comes back to the page is on it again", () => {
  const names = new ShownNames();
  names.show({ a: "Pay" }, 0);
  names.show({}, 1_000);
  names.show({ a: "Pay" }, 2_000);
  expect(names.find("a", 60_000)).toBe("Pay");
});

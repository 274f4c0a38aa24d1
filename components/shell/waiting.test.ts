import { expect, it } from "vitest";
import { titleWith } from "./waiting";

it("puts the number before a title, in place of the one that is there", () => {
  expect(titleWith("Audit · Kimitsu", 7)).toBe("(7) Audit · Kimitsu");
  expect(titleWith("(7) Audit · Kimitsu", 8)).toBe("(8) Audit · Kimitsu");
  expect(titleWith("(999+) Inbox", 1000)).toBe("(999+) Inbox");
  expect(titleWith("(8) Audit · Kimitsu", 0)).toBe("Audit · Kimitsu");
});

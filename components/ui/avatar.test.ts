import { expect, it } from "vitest";
import { initials } from "./avatar";

it("takes the first and the last word of a name", () => {
  expect(initials("Ana Kovač")).toBe("AK");
  expect(initials("  Ludwig  van Beethoven ")).toBe("LB");
  expect(initials("mira")).toBe("M");
});

it("keeps a character whole that JavaScript stores as two units, and shows something for an empty name", () => {
  expect(initials("𠮷田 花子")).toBe("𠮷花");
  expect(initials("   ")).toBe("?");
});

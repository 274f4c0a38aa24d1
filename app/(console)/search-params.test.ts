import { expect, it } from "vitest";
import { addressWith, oneText } from "./search-params";

it("takes one value, trimmed, and nothing else", () => {
  expect(oneText(" a ")).toBe("a");
  for (const value of [undefined, "", "  ", ["a", "b"], "a\0b"]) expect(oneText(value)).toBeUndefined();
});

it("leaves absent parameters out of an address and escapes the others", () => {
  expect(addressWith("/audit", { type: undefined })).toBe("/audit");
  expect(addressWith("/audit", { type: "a&b", chain: undefined, cursor: "evt_1" })).toBe(
    "/audit?type=a%26b&cursor=evt_1",
  );
});

import { expect, it } from "vitest";
import { preferencesChangeSchema, readPreferences } from "./preferences";

const USUAL = { keys: true, notifications: false, landing: "inbox" };

it("any stored value reads as preferences, and an invalid field does not affect the others", () => {
  for (const stored of [{}, null, "x", [], { theme: "pink", keys: "no", landing: 7, other: 1 }])
    expect(readPreferences(stored)).toEqual(USUAL);
  expect(readPreferences({ theme: "dark", keys: false, landing: "moon", views: [1] })).toEqual({
    ...USUAL,
    theme: "dark",
    keys: false,
  });
});

it("a change may name some fields, and only known ones", () => {
  expect(preferencesChangeSchema.parse({ keys: false })).toEqual({ keys: false });
  for (const change of [{ theme: "pink" }, { landing: "/evil" }, { admin: true }])
    expect(preferencesChangeSchema.safeParse(change).success).toBe(false);
});

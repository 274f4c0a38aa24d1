import { expect, it } from "vitest";
import { safeNextPath } from "./next-path";

it.each(["/inbox", "/history/run_1?tab=events#e4", "/audit?chain=system"])("returns to %s after sign-in", (path) => {
  expect(safeNextPath(path)).toBe(path);
});

it.each([
  undefined,
  "",
  "inbox",
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "/\t/evil.example",
  "/\n//evil.example",
  "/./\\evil.example",
  "/.//evil.example",
  "javascript:alert(1)",
  "/sign-in?next=/sign-in",
])("never leaves the site for %j", (value) => {
  expect(safeNextPath(value)).toBe("/");
});

it("takes one address only", () => {
  expect(safeNextPath(["/audit", "/inbox"])).toBe("/");
});

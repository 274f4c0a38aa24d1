import { expect, it } from "vitest";
import { describeProblem } from "./problem";

it("says how long to wait when there were too many attempts, never less than it is", () => {
  expect(describeProblem("rate_limited", { retryAfterS: 0.2 }).text).toContain("in 1 second;");
  expect(describeProblem("rate_limited", { retryAfterS: 61 }).text).toContain("in 61 seconds");
  expect(describeProblem("rate_limited", { retryAfterS: 121 }).text).toContain("in 3 minutes");
});

it("says what to ask for when a provider knows a person and we do not", () => {
  expect(describeProblem("not_invited", { email: "ana@example.com" }).text).toBe(
    "Ask an admin to add ana@example.com, then sign in again.",
  );
});

it("has a text for an unknown code", () => {
  expect(describeProblem("SomethingNew").title).toBe("Sign-in did not work");
});

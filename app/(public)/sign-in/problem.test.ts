import { expect, it } from "vitest";
import { describeProblem } from "./problem";

it("says how long to wait when there were too many attempts, never less than it is", () => {
  expect(describeProblem("rate_limited", { retryAfterS: 0.2 }).text).toContain("in 1 second;");
  expect(describeProblem("rate_limited", { retryAfterS: 61 }).text).toContain("in 61 seconds");
  expect(describeProblem("rate_limited", { retryAfterS: 121 }).text).toContain("in 3 minutes");
});

it("tells a person whom a provider knows and we do not what to ask for", () => {
  expect(describeProblem("not_invited", { email: "ana@example.com" }).text).toBe(
    "Ask an admin to add ana@example.com, then sign in again.",
  );
});

it("has words for a code it has never seen", () => {
  expect(describeProblem("SomethingNew").title).toBe("Sign-in did not work");
});

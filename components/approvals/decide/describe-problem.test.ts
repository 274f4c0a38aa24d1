import { expect, it } from "vitest";
import type { DecisionProblem } from "./decision";
import { describeProblem } from "./describe-problem";

const AT = "2026-03-01T10:02:00.000Z";
const late = (
  why: DecisionProblem["why"],
  by: string[] = [],
  verdict: "approved" | "rejected" | null = null,
): DecisionProblem => ({ kind: "not_recorded", why, message: "", issues: [], first: { by, verdict, at: AT, now: AT } });

it.each([
  [late("expired"), "It expired"],
  [late("run_ended"), "It was withdrawn"],
  [late("decided", ["Ben"], "rejected"), "Ben rejected it"],
  [late("decided", ["Ben", "Cem"], "approved"), "Ben and Cem approved it"],
  [late("decided_by_you", [], "approved"), "You approved it"],
])("what came first is described without a time in the text: %j", (problem, what) => {
  expect(describeProblem(problem)).toMatchObject({ what, at: AT });
  expect(describeProblem(problem).more.at(-1)).toBe("Nothing was changed.");
});

it("what was refused for another reason is shown as the server says it, each issue once", () => {
  const problem: DecisionProblem = {
    kind: "not_recorded",
    why: "invalid",
    message: "amount is no number.",
    issues: ["amount is no number", "text is too long"],
    first: null,
  };
  expect(describeProblem(problem)).toEqual({ what: "amount is no number", at: null, more: ["text is too long"] });
});

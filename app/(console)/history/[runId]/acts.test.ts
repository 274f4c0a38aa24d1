import { expect, test } from "vitest";
import type { PersonAct } from "@/lib/runs/queries/list-person-acts";
import { actsOnCall, toShownAct } from "./acts";

const facts = {
  by: { kind: "user", name: "Ana", person: null },
  at: new Date("2026-02-10T12:00:00.000Z"),
  said: null,
} as const;
const settled: PersonAct = {
  ...facts,
  kind: "settled",
  callId: "call_1",
  tool: "shop.refund",
  to: "approved",
  said: "not in the books",
  by: { kind: "token", name: "books", person: "Ben" },
};
const reviewed: PersonAct = {
  ...facts,
  kind: "reviewed",
  stepId: "step_1",
  rootStepId: "step_1",
  step: "check",
  accepted: false,
};

test("a person's action names its object only where that is not shown beside it, and a token with its person", () => {
  const words = (act: PersonAct, isNamed: boolean) => toShownAct(act, { isNamed }).what;
  expect([
    words({ ...facts, kind: "cancelled" }, true),
    words(settled, true),
    words(settled, false),
    words(reviewed, true),
    words(reviewed, false),
  ]).toEqual(["Cancelled", "shop.refund settled", "Settled", "Answer of check refused", "Answer refused"]);
  expect(toShownAct(settled, { isNamed: true })).toEqual({
    what: "shop.refund settled",
    by: "Ben, by token books,",
    at: "2026-02-10T12:00:00.000Z",
    outcome: "it did not happen, so it may be sent again",
    said: "not in the books",
  });
});

test("a call gets only what was said about itself", () => {
  expect(actsOnCall([{ ...facts, kind: "cancelled" }, reviewed, settled], "call_1")).toHaveLength(1);
  expect(actsOnCall([settled], "call_2")).toEqual([]);
});

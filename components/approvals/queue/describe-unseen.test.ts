import { expect, it } from "vitest";
import { describeUnseen, isApprovedUnopened } from "./describe-unseen";

const high = { danger: "high", isFolded: true } as const;
const folded = { danger: "low", isFolded: true } as const;

it("approves nothing unopened that is of high danger, or has folded arguments", () => {
  expect(
    ([high, folded, { danger: "high", isFolded: false }, { danger: "medium", isFolded: false }] as const).map(
      isApprovedUnopened,
    ),
  ).toEqual([false, false, false, true]);
});

it.each([
  [[high], 1, "Its danger is high, and it was not looked at."],
  [[folded], 1, "Some of its arguments are folded, and were not shown."],
  [[high], 4, "3 of 4 can be approved; 1 of high danger was not looked at."],
  [[folded, folded], 2, "None of 2 can be approved; 2 have folded arguments that were not shown."],
  [
    [high, folded, high],
    5,
    "2 of 5 can be approved; 2 of high danger were not looked at, and 1 has folded arguments that were not shown.",
  ],
])("says of %j among %i why they are not approved", (unseen, of, words) => {
  expect(describeUnseen(unseen, of)).toBe(words);
});

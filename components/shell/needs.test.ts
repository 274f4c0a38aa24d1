import { expect, test } from "vitest";
import { describeNeeds } from "./needs";

test("says what runs need and leads to exactly these; nothing when none does", () => {
  expect(describeNeeds({ review: 0, settle: 0, either: 0 })).toBeNull();
  expect(describeNeeds({ review: 2, settle: 0, either: 2 })).toMatchObject({
    count: 2,
    words: "to review",
    href: "/history?status=to_review",
  });
  expect(describeNeeds({ review: 0, settle: 1, either: 1 })).toMatchObject({
    count: 1,
    words: "to settle",
    href: "/history?status=to_settle",
  });
  expect(describeNeeds({ review: 2, settle: 2, either: 3 })).toMatchObject({
    count: 3,
    words: "to review or settle",
    href: "/history?status=to_review_or_settle",
  });
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { OPERATIONS } from "./operations";

const paged = OPERATIONS.filter(
  (operation) => operation.query instanceof z.ZodObject && "cursor" in operation.query.shape,
);

test("runs, approvals, the trail, a run's events and its calls have pages", () => {
  expect(paged.map(({ id }) => id).sort()).toEqual([
    "listApprovals",
    "listAuditLog",
    "listRunCalls",
    "listRunEvents",
    "listRuns",
  ]);
});

describe.each(paged.map((operation) => [operation.id, operation.query as z.ZodObject] as const))("%s", (_id, query) => {
  test.each([
    "zzz",
    "",
    " ",
    "run_1",
    "-1",
    "1.5",
    "1e3",
    "run_01kc0000000000000000000000'--",
    "apr_01KC0000000000000000000000",
  ])("refuses %j as a cursor, and says what one is", (cursor) => {
    const parsed = query.safeParse({ cursor });
    expect(parsed.error?.issues.map((issue) => [issue.path, issue.message])).toEqual([
      [
        ["cursor"],
        expect.stringMatching(
          /^is not a cursor; give `next_cursor` of the page before, such as \S+, or leave it out for the first page$/,
        ),
      ],
    ]);
  });

  test("needs no cursor for its first page", () => {
    expect(query.safeParse({}).success).toBe(true);
  });
});

import { expect, it } from "vitest";
import { describeOutcome } from "./describe-outcome";

const call = (status: string) =>
  ({ status, isError: false, problem: "the shop is closed" }) as Parameters<typeof describeOutcome>[0]["call"];
const base = {
  approvals: 1,
  minApprovals: 1,
  decidedAt: "2026-03-01T10:02:00.000Z",
  cancelledBy: null,
  decisions: [{ by: "Ana", verdict: "approved" as const, reason: null }],
};

it("has a text of its own for every way in which an approval can end", () => {
  const ends = [
    describeOutcome({
      ...base,
      decisions: [{ by: "Ana", verdict: "rejected", reason: null }],
      status: "rejected",
      call: call("rejected"),
    }),
    describeOutcome({ ...base, status: "expired", call: call("expired") }),
    describeOutcome({ ...base, status: "cancelled", call: call("cancelled") }),
    ...[
      "approved",
      "executing",
      "succeeded",
      "failed",
      "outcome_unknown",
      "pending_approval",
      "cancelled",
      "denied",
    ].map((status) => describeOutcome({ ...base, status: "approved", call: call(status) })),
  ];
  expect(new Set(ends.map((end) => end?.title)).size).toBe(ends.length);
});

it("says that a call was never sent only when it never was", () => {
  for (const status of ["rejected", "expired", "cancelled"] as const)
    expect(describeOutcome({ ...base, status, call: call(status) })?.detail).toContain("never sent");
  for (const status of ["executing", "succeeded", "failed", "outcome_unknown"])
    expect(describeOutcome({ ...base, status: "approved", call: call(status) })?.detail ?? "").not.toContain(
      "never sent",
    );
});

it("names the person who decided, and waits for more only while the call is in progress", () => {
  expect(describeOutcome({ ...base, status: "approved", call: call("succeeded") })).toMatchObject({
    title: "Approved by Ana, and done",
    isMoving: false,
  });
  expect(describeOutcome({ ...base, status: "approved", call: call("executing") })?.isMoving).toBe(true);
  expect(describeOutcome({ ...base, status: "pending", call: call("pending_approval") })).toBeNull();
});

it("names everyone who approved, in their order, and of a rejection who rejected", () => {
  const [ana, ben, cem] = ["Ana", "Ben", "Cem"].map((by) => ({ by, verdict: "approved" as const, reason: null }));
  const titleOf = (decisions: (typeof ana)[], status: "approved" | "rejected") =>
    describeOutcome({ ...base, decisions: decisions as never, status, call: call("succeeded") })?.title;
  expect(titleOf([ben, ana], "approved")).toBe("Approved by Ben and Ana, and done");
  expect(titleOf([cem, ana, ben], "approved")).toBe("Approved by Cem, Ana and Ben, and done");
  expect(
    describeOutcome({
      ...base,
      decisions: [ana!, { by: "Ben", verdict: "rejected", reason: "Not owed" }],
      status: "rejected",
      call: call("rejected"),
    }),
  ).toMatchObject({ title: "Rejected by Ben", detail: "“Not owed”. It was never sent." });
});

it("leaves the time of an end to the page, which knows the reader's clock", () => {
  for (const status of ["expired", "cancelled"] as const) {
    const end = describeOutcome({ ...base, decisions: [], status, call: call(status) });
    expect(end?.at).toBe(base.decidedAt);
    expect(end?.title).toMatch(/^(Expired|Withdrawn)$/);
  }
});

it.each([
  ["Not in January.", "“Not in January.” It was never sent."],
  ["Not owed", "“Not owed”. It was never sent."],
])("a rejection for %j ends with one stop", (reason, words) => {
  expect(
    describeOutcome({
      ...base,
      decisions: [{ by: "Ana", verdict: "rejected", reason }],
      status: "rejected",
      call: call("rejected"),
    })?.detail,
  ).toBe(words);
});

it("names whoever cancelled the run under a question", () => {
  expect(describeOutcome({ ...base, cancelledBy: "Jo", status: "cancelled", call: call("cancelled") })?.detail).toBe(
    "Jo cancelled its run before anyone decided. It was never sent.",
  );
});

import { expect, it } from "vitest";
import { KimitsuError } from "@/lib/errors";
import { toDecisionProblem } from "./decision-problem";

const AT = new Date("2026-03-01T10:00:00Z");
const EARLIER = new Date("2026-03-01T09:58:00Z");
const conflict = new KimitsuError(
  "conflict",
  `Approval apr_1 ended at ${EARLIER.toISOString()}; nothing was changed.`,
  { issues: [{ path: "apr_1", message: `at ${EARLIER.toISOString()}` }] },
);
type Status = "pending" | "approved" | "rejected" | "expired" | "cancelled";

/** The row after the refusal, with who has decided on it; the last one is who ended it. */
const now = (status: Status, by: string[] = [], { digest = "d", expiresAt = null as Date | null } = {}) => ({
  status,
  digest,
  expiresAt,
  decidedAt: status === "pending" ? null : EARLIER,
  decisions: by.map((id, place) => ({
    user: { id, name: id },
    verdict: status === "rejected" && place === by.length - 1 ? ("rejected" as const) : ("approved" as const),
    at: EARLIER,
  })),
});
const problemOf = (error: KimitsuError, row: ReturnType<typeof now>) =>
  toDecisionProblem(error, row, { userId: "ana", digest: "d", at: AT });

it.each([
  [conflict, now("expired"), "expired"],
  [conflict, now("cancelled"), "run_ended"],
  [conflict, now("approved", ["ben"]), "decided"],
  [conflict, now("rejected", ["ben"]), "decided"],
  [conflict, now("rejected", ["ana"]), "decided_by_you"],
  [conflict, now("rejected", ["ana", "ben"]), "decided_by_you"],
  [conflict, now("pending", ["ana"]), "decided_by_you"],
  [conflict, now("pending", ["ben"]), "decided"],
  [conflict, now("pending", [], { digest: "other" }), "changed"],
  [conflict, now("pending", ["ben"], { digest: "other" }), "changed"],
  [conflict, now("pending", [], { expiresAt: AT }), "expired"],
  [conflict, now("pending", [], { expiresAt: new Date(AT.getTime() + 1) }), "invalid"],
  [new KimitsuError("forbidden", "Not you."), now("pending"), "forbidden"],
  [new KimitsuError("invalid_request", "amount is no number"), now("pending"), "invalid"],
])("%s, with the row %j, is reported to ana as %s", (error, row, why) => {
  expect(problemOf(error, row)).toMatchObject({ kind: "not_recorded", why });
});

it.each([
  [now("expired"), [], null, EARLIER],
  [now("pending", [], { expiresAt: AT }), [], null, AT],
  [now("cancelled"), [], null, EARLIER],
  [now("approved", ["ben", "cem"]), ["ben", "cem"], "approved", EARLIER],
  [now("rejected", ["ben", "cem"]), ["cem"], "rejected", EARLIER],
  [now("pending", ["ana"]), [], "approved", EARLIER],
])(
  "what came first is sent to the page as data, without a server sentence with a time of another zone: %j",
  (row, by, verdict, at) => {
    expect(problemOf(conflict, row)).toMatchObject({
      message: "",
      issues: [],
      first: { by, verdict, at: at.toISOString(), now: AT.toISOString() },
    });
  },
);

it("a refusal that nothing came before keeps the server's message", () => {
  expect(problemOf(new KimitsuError("forbidden", "Not you."), now("pending"))).toMatchObject({
    message: "Not you.",
    first: null,
  });
  expect(
    problemOf(new KimitsuError("conflict", "Someone has approved the arguments as they are."), now("pending", ["ben"])),
  ).toMatchObject({ why: "decided", message: "Someone has approved the arguments as they are.", first: null });
});

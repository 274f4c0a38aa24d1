import { expect, it } from "vitest";
import { KimitsuError } from "@/lib/errors";
import { toDecisionProblem } from "./decision-problem";

const AT = new Date("2026-03-01T10:00:00Z");
const conflict = new KimitsuError("conflict", "Nothing was changed.");
type Status = "pending" | "approved" | "rejected" | "expired" | "cancelled";

/** The row after the refusal, with who has decided on it. */
const now = (status: Status, by: string[] = [], { digest = "d", expiresAt = null as Date | null } = {}) => ({ status, digest, expiresAt, decisions: by.map((id) => ({ user: { id } })) });

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
])("%s, with the row %j, is told to ana as %s", (error, row, why) => {
  expect(toDecisionProblem(error, row, { userId: "ana", digest: "d", at: AT })).toMatchObject({ kind: "not_recorded", why, message: error.message });
});

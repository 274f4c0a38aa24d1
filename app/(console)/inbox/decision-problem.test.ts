import { expect, it } from "vitest";
import { KimitsuError } from "@/lib/errors";
import { toDecisionProblem } from "./decision-problem";

const conflict = new KimitsuError("conflict", "Nothing was changed.");
const now = (status: "pending" | "approved" | "rejected" | "expired" | "cancelled", digest = "d") => ({ status, digest });

it.each([
  [conflict, now("expired"), "expired"],
  [conflict, now("cancelled"), "run_ended"],
  [conflict, now("approved"), "decided"],
  [conflict, now("rejected"), "decided"],
  [conflict, now("pending", "other"), "changed"],
  [new KimitsuError("conflict", "Approval apr_1 expired at 10:02; nothing was decided."), now("pending"), "expired"],
  [new KimitsuError("forbidden", "Not you."), now("pending"), "forbidden"],
  [new KimitsuError("invalid_request", "amount is no number"), now("pending"), "invalid"],
])("%s, with the row %j, is told as %s", (error, row, why) => {
  expect(toDecisionProblem(error, row, "d")).toMatchObject({ kind: "not_recorded", why, message: error.message });
});

import { describe, expect, test } from "vitest";
import { APPROVAL_TRANSITIONS, isApprovalSettled } from "@/lib/approvals/rules/approval-state";
import { CALL_TRANSITIONS, isCallSettled } from "./call-state";
import { isRunSettled, RUN_TRANSITIONS } from "./run-state";
import { isStepSettled, STEP_TRANSITIONS } from "./step-state";
import { canMove, type TransitionTable } from "./transition-table";

/** Every pair, as a grid: rows are from, columns are to, in the order of the row names. */
function grid<S extends string>(table: TransitionTable<S>): string[] {
  const statuses = Object.keys(table) as S[];
  return statuses.map((from) => `${statuses.map((to) => (canMove(table, from, to) ? "x" : ".")).join("")} ${from}`);
}

test("a run moves only as promised", () => {
  expect(grid(RUN_TRANSITIONS)).toEqual([
    ".x....x pending",
    "..xxxxx running",
    ".x...xx pending_approval",
    ".x...xx needs_human_review",
    "....... complete",
    "....... failed",
    "....... cancelled",
  ]);
});

test("a step moves only as promised", () => {
  expect(grid(STEP_TRANSITIONS)).toEqual([
    ".x...xxx pending",
    "..xxxxxx running",
    ".x...x.x pending_approval",
    ".x..xx.x needs_human_review",
    "........ complete",
    "........ failed",
    "........ skipped",
    "........ cancelled",
  ]);
});

test("a call moves only as promised", () => {
  expect(grid(CALL_TRANSITIONS)).toEqual([
    ".......... denied",
    "..xxxx.... pending_approval",
    "xx...xx.xx approved",
    ".......... rejected",
    ".......... expired",
    ".......... cancelled",
    "..x....xxx executing",
    ".......... succeeded",
    ".......... failed",
    "..x....xx. outcome_unknown",
  ]);
});

test("an approval moves only as promised", () => {
  expect(grid(APPROVAL_TRANSITIONS)).toEqual([
    ".xxxx pending",
    "..... approved",
    "..... rejected",
    "..... expired",
    "..... cancelled",
  ]);
});

describe("what the guarantees depend on", () => {
  test("only an approved call can become executing", () => {
    const before = Object.entries(CALL_TRANSITIONS).filter(([, to]) => to.includes("executing"));
    expect(before.map(([from]) => from)).toEqual(["approved"]);
  });

  test("a refused call has no path to the tool server", () => {
    for (const status of ["denied", "rejected", "expired", "cancelled"] as const)
      expect(isCallSettled(status)).toBe(true);
  });

  test("waiting for people is not the end", () => {
    expect(isRunSettled("pending_approval")).toBe(false);
    expect(isStepSettled("pending_approval")).toBe(false);
    expect(isApprovalSettled("pending")).toBe(false);
    expect(isApprovalSettled("expired")).toBe(true);
    expect(isCallSettled("outcome_unknown")).toBe(false);
  });
});

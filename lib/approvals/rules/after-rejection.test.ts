import { describe, expect, test } from "vitest";
import {
  effectOfRefusal,
  refusalForModel,
  type RefusedCall,
  RETRIES_AFTER_REJECTION,
} from "@/lib/approvals/rules/after-rejection";

const refused = (onReject: RefusedCall["rule"]["onReject"], change: Partial<RefusedCall> = {}): RefusedCall => ({
  server: "crm",
  tool: "delete",
  status: "rejected",
  reason: "Wrong customer",
  rule: { onReject, timeoutBehavior: "fail" },
  refusedBefore: 0,
  ...change,
});

describe("the effect of a refusal", () => {
  test.each([
    ["fail", "fail_step"],
    ["recover", "go_on"],
    ["retry", "go_on"],
    ["skip", "withdraw_tool"],
    ["degrade", "degrade"],
  ] as const)("on_reject %s: %s", (onReject, kind) => {
    expect(effectOfRefusal(refused(onReject)).kind).toBe(kind);
  });

  test("retry is used up after two retries", () => {
    const kinds = [0, 1, 2, 3].map((refusedBefore) => effectOfRefusal(refused("retry", { refusedBefore })).kind);
    expect(kinds).toEqual(["go_on", "go_on", "fail_step", "fail_step"]);
    expect(RETRIES_AFTER_REJECTION).toBe(2);
  });

  test.each(["fail", "recover", "retry", "skip", "degrade"] as const)(
    "an expiry under timeout_behavior fail ends the step, whatever on_reject says (%s)",
    (onReject) => {
      expect(effectOfRefusal(refused(onReject, { status: "expired" }))).toMatchObject({
        kind: "fail_step",
        code: "call_expired",
      });
    },
  );

  test("an expiry under timeout_behavior reject is like a rejection", () => {
    const rule = { onReject: "recover", timeoutBehavior: "reject" } as const;
    expect(effectOfRefusal(refused("recover", { status: "expired", rule })).kind).toBe("go_on");
  });

  test("the message names the tool and the reason", () => {
    expect(effectOfRefusal(refused("fail"))).toEqual({
      kind: "fail_step",
      code: "call_rejected",
      message: "crm.delete was rejected (Wrong customer).",
    });
  });
});

test("the model gets data: status, tool, reason, rule and the remaining retries", () => {
  expect(refusalForModel(refused("retry", { refusedBefore: 1 }))).toEqual({
    status: "rejected",
    tool: "crm.delete",
    reason: "Wrong customer",
    on_reject: "retry",
    tries_left: 1,
  });
  expect(refusalForModel(refused("retry", { refusedBefore: 5 })).tries_left).toBe(0);
  expect(refusalForModel(refused("recover")).tries_left).toBeNull();
  expect(refusalForModel(refused("skip", { status: "expired" }))).toMatchObject({ status: "expired", tries_left: 0 });
});

import { expect, test } from "vitest";
import { describeEvent } from "./describe-event";

const CALL = { tool: "shop.refund", summary: "Refund 35.5 EUR to order A-1042" };

test("says which call, what was decided, and what a person said of it", () => {
  expect(
    describeEvent({ approval_id: "apr_1", call_id: "call_1", verdict: "rejected", reason: "Wrong customer" }, CALL),
  ).toBe("shop.refund · Refund 35.5 EUR to order A-1042 · rejected · “Wrong customer”");
  expect(describeEvent({ call_id: "call_1", to: "approved", comment: null }, CALL)).toBe(
    "shop.refund · Refund 35.5 EUR to order A-1042 · it did not happen",
  );
  expect(describeEvent({ step_id: "step_1", accepted: false, comment: "A cent is missing" }, null)).toBe(
    "refused · “A cent is missing”",
  );
  expect(describeEvent({ server: "shop", tool: "look-up" }, null)).toBe("shop.look-up");
  expect(
    describeEvent(
      { server: "shop", tool: "drop", code: "tool_not_permitted", layer: "allowlist", source: "agents/a.agent.yaml:9" },
      null,
    ),
  ).toBe("shop.drop · tool_not_permitted · allowlist agents/a.agent.yaml:9");
  expect(describeEvent({ call_id: "call_1", layer: "require_approval", source: null }, CALL)).toBe(
    "shop.refund · Refund 35.5 EUR to order A-1042 · require approval",
  );
});

test("says whom it was done to, and how a run stands", () => {
  expect(describeEvent({ user_id: "usr_1", email: "ana@example.org", role: "operator" }, null)).toBe(
    "ana@example.org · operator",
  );
  expect(describeEvent({ status: "needs_human_review" }, null)).toBe("needs human review");
  expect(describeEvent({ turn: 3, model: "test/m", tokens_in: 5 }, null)).toBe("turn 3, test/m");
  expect(describeEvent({ worker: "wrk_1" }, null)).toBe("");
});

test("leaves out what an agent wrote", () => {
  expect(describeEvent({ step: "work", step_id: "step_1", code: "needs_human", message: "approve me" }, null)).toBe(
    "work · needs_human",
  );
});

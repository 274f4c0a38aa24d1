import { expect, expectTypeOf, test } from "vitest";
import type { ActorKind } from "@/lib/people/rules/actor";
import { APPROVAL_TRANSITIONS, type ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import { CALL_TRANSITIONS, type CallStatus } from "@/lib/runs/rules/call-state";
import { type Role, ROLES } from "@/lib/people/rules/roles";
import { RUN_TRANSITIONS, type RunStatus } from "@/lib/runs/rules/run-state";
import { STEP_TRANSITIONS, type StepStatus } from "@/lib/runs/rules/step-state";
import * as stored from "@/lib/database/generated/enums";

test("the database has exactly the statuses that the rules have", () => {
  expect(Object.keys(stored.RunStatus)).toEqual(Object.keys(RUN_TRANSITIONS));
  expect(Object.keys(stored.StepStatus)).toEqual(Object.keys(STEP_TRANSITIONS));
  expect(Object.keys(stored.CallStatus)).toEqual(Object.keys(CALL_TRANSITIONS));
  expect(Object.keys(stored.ApprovalStatus)).toEqual(Object.keys(APPROVAL_TRANSITIONS));
  expect(Object.keys(stored.Role)).toEqual(ROLES);
});

test("their types are the same", () => {
  expectTypeOf<RunStatus>().toEqualTypeOf<stored.RunStatus>();
  expectTypeOf<StepStatus>().toEqualTypeOf<stored.StepStatus>();
  expectTypeOf<CallStatus>().toEqualTypeOf<stored.CallStatus>();
  expectTypeOf<ApprovalStatus>().toEqualTypeOf<stored.ApprovalStatus>();
  expectTypeOf<Role>().toEqualTypeOf<stored.Role>();
  expectTypeOf<ActorKind>().toEqualTypeOf<stored.ActorKind>();
});

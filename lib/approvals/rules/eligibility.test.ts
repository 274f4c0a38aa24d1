import { describe, expect, test } from "vitest";
import { type Decider, refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { ROLES } from "@/lib/people/rules/roles";

const decider = (role: Decider["role"], groups: string[] = [], userId = "usr_1"): Decider => ({ userId, role, groups });
const anyone = { approvers: [], selfApproval: false, starterIds: ["usr_8", "usr_0"] };

describe("who may decide", () => {
  test("without names any reviewer or higher role may, never a viewer", () => {
    expect(ROLES.map((role) => refusalToDecide(decider(role), anyone) === null)).toEqual([false, true, true, true]);
  });

  test("whoever started the run may not, unless the rule says so", () => {
    expect(refusalToDecide(decider("admin", [], "usr_0"), anyone)).toMatch(/started a run/);
    expect(refusalToDecide(decider("admin", [], "usr_0"), { ...anyone, selfApproval: true })).toBeNull();
  });

  test("a named role includes those above it; a named group means its members alone, whatever their role", () => {
    const operators = { ...anyone, approvers: ["operator"] };
    expect(ROLES.map((role) => refusalToDecide(decider(role), operators) === null)).toEqual([false, false, true, true]);
    const finance = { ...anyone, approvers: ["finance"] };
    expect(refusalToDecide(decider("admin"), finance)).toMatch(
      /for finance to decide; anyone of finance who did not start the run can/,
    );
    expect(refusalToDecide(decider("reviewer", ["finance"]), finance)).toBeNull();
    expect(refusalToDecide(decider("viewer", ["finance"]), finance)).toMatch(/viewer does not include deciding/);
  });

  test("being named once is enough", () => {
    expect(refusalToDecide(decider("reviewer", ["leads"]), { ...anyone, approvers: ["finance", "leads"] })).toBeNull();
  });

  test("a group with the same name as a role does not give its members that role", () => {
    expect(refusalToDecide(decider("reviewer"), { ...anyone, approvers: ["admin"] })).not.toBeNull();
  });
});

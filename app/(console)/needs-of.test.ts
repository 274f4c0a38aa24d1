import { expect, test } from "vitest";
import { ROLES } from "@/lib/people/rules/roles";
import { needsOf } from "./needs-of";

const COUNTS = { review: 3, settle: 2, either: 4 };

test("people only see needs that they can act on", () => {
  const told = ROLES.map((role) => [
    role,
    needsOf({ user: { id: "usr_1", name: "Ana", email: "ana@example.org", role, groups: [] } }, COUNTS),
  ]);
  expect(told).toEqual([
    ["viewer", { review: 0, settle: 0, either: 0 }],
    ["reviewer", { review: 3, settle: 0, either: 3 }],
    ["operator", COUNTS],
    ["admin", COUNTS],
  ]);
});

import { expect, it } from "vitest";
import { policySchema } from "@/lib/config/policy-schema";
import { announces } from "./announces";

const policy = (channels: unknown[]) => policySchema.parse({ channels });

it("announces only what a browser channel names, and only for its groups", () => {
  const all = policy([{ name: "desktop", type: "browser" }]);
  expect(announces(all, "approval.requested", ["finance"])).toBe(true);
  expect(announces(all, "approval.decided", [])).toBe(false);
  expect(
    announces(policy([{ name: "desktop", type: "browser", events: ["approval.escalated"] }]), "approval.requested", []),
  ).toBe(false);
  const finance = policy([{ name: "desktop", type: "browser", groups: ["finance"] }]);
  expect(announces(finance, "approval.requested", ["finance", "admin"])).toBe(true);
  expect(announces(finance, "approval.requested", ["privacy"])).toBe(false);
  expect(announces(finance, "approval.requested", [])).toBe(true);
});

it("announces nothing without a channel", () => {
  expect(announces(null, "approval.requested", [])).toBe(false);
  expect(announces(policy([{ name: "post", type: "email" }]), "approval.requested", [])).toBe(false);
});

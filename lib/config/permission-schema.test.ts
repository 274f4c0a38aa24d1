import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allowlistEntrySchema, allowlistSchema, permissionsSchema, requireApprovalSchema } from "./permission-schema";

const messages = (schema: z.ZodType, value: unknown) => JSON.stringify(schema.safeParse(value).error?.issues ?? []);

describe("require_approval", () => {
  it("with no fields: the defaults are the strict ones", () => {
    expect(requireApprovalSchema.parse({})).toEqual({
      on_reject: "fail",
      timeout_behavior: "fail",
      min_approvals: 1,
      self_approval: false,
      edit: true,
    });
  });

  it("reads every field, with durations in milliseconds", () => {
    const rule = {
      on_reject: "recover",
      timeout: "30m",
      timeout_behavior: "reject",
      when: "amount > `1000`",
      approvers: ["finance"],
      min_approvals: 2,
      self_approval: true,
      edit: false,
      reason: "Irreversible",
      reject_reasons: ["Wrong customer"],
      escalate: { after: "10m", to: ["leads"] },
    };
    expect(requireApprovalSchema.parse(rule)).toEqual({
      ...rule,
      timeout: 1_800_000,
      escalate: { after: 600_000, to: ["leads"] },
    });
  });

  it.each([
    [{ timeout_behavior: "approve" }, "never approved by the passing of time"],
    [{ require_aproval: true }, "require_aproval"],
    [{ timeout: "soon" }, "is not a duration"],
    [{ timeout: 30 }, "has no unit"],
    [{ when: "amount >" }, "not a JMESPath expression"],
    [{ when: "amount = `1`" }, "write =="],
    [{ approvers: [] }, "leave the field out"],
    [{ min_approvals: 0 }, "min_approvals"],
    [{ min_approvals: 1.5 }, "min_approvals"],
    [{ on_reject: "explode" }, "on_reject"],
    [{ timeout: "10m", escalate: { after: "10m", to: ["leads"] } }, "or it never happens"],
    [{ escalate: { after: "10m", to: [] } }, "at least one"],
  ])("%j is refused", (rule, message) => expect(messages(requireApprovalSchema, rule)).toContain(message));
});

describe("allowlist entries", () => {
  it.each(["customer-lookup", "crm-read-*", "*", "Create Issue".replace(" ", "_"), "github.merge"])(
    "%s is a name or a prefix",
    (entry) => {
      expect(allowlistEntrySchema.parse(entry)).toBe(entry);
      expect(allowlistEntrySchema.parse({ name: entry })).toEqual({ name: entry });
    },
  );

  it.each([
    ["*-read", "only at the end"],
    ["a*b", "only at the end"],
    ["**", "only at the end"],
    ["", "name a tool"],
    ["a b", "spaces"],
    ["a\u200bb", "invisible"],
    ["a\u202eb", "invisible"],
  ])("%j is refused", (entry, message) => {
    expect(messages(allowlistSchema, [entry])).toContain(message);
    expect(messages(allowlistSchema, [{ name: entry }])).toContain(message);
  });

  it("an unknown field is refused", () =>
    expect(messages(allowlistSchema, [{ name: "a", require_aproval: {} }])).toContain("require_aproval"));
});

describe("permissions", () => {
  it("omit what the file omits, so that it differs from a stated value", () =>
    expect(permissionsSchema.parse({})).toEqual({}));

  it.each([
    [{ mode: "accept_edits" }, "mode"],
    [{ ask_from: "severe" }, "ask_from"],
    [{ budget_usd: -1 }, "budget_usd"],
    [{ budget_usd: Number.POSITIVE_INFINITY }, "budget_usd"],
    [{ rules: [{ tool: "*", decision: "maybe" }] }, "decision"],
    [{ rules: [{ tool: "*" }] }, "decision"],
    [{ denny: ["a"] }, "denny"],
  ])("%j is refused", (value, message) => expect(messages(permissionsSchema, value)).toContain(message));

  it("can be described to editors as JSON Schema, with durations as text", () => {
    const schema = JSON.stringify(
      z.toJSONSchema(z.strictObject({ permissions: permissionsSchema, allowlist: allowlistSchema }), { io: "input" }),
    );
    expect(schema).toContain('"require_approval"');
    expect(schema).toContain('such as \\"30m\\"');
  });
});

import { describe, expect, it } from "vitest";
import { channelSchema } from "@/lib/config/policy-schema";
import { composeMessage, describeNotice, isWanted, type Notice, type NoticeFacts, type NoticeType } from "./notice";

const facts: NoticeFacts = {
  at: "2026-01-01T10:00:00.000Z",
  runId: "run_1",
  workflow: "support",
  callId: "call_1",
  agent: "triage",
  server: "shop",
  tool: "refund",
  danger: "high",
  approval: { id: "apr_1", approvers: [], selfApproval: false, starterIds: [], expiresAt: "2026-01-01T10:30:00+00:00" },
  decided: null,
  code: null,
};
const notice = (type: NoticeType, more: Partial<NoticeFacts> = {}, id = "ntc_1"): Notice => ({
  id,
  type,
  facts: { ...facts, ...more },
});
const channel = (fields: object) => channelSchema.parse({ name: "ops", type: "slack", url: "x", ...fields });

describe("who is notified", () => {
  it("a channel gets what it names, for its groups; a call without approvers is for everyone", () => {
    const leads = channel({ groups: ["leads"] });
    expect(isWanted(leads, "approval.requested", ["leads", "desk"])).toBe(true);
    expect(isWanted(leads, "approval.requested", ["desk"])).toBe(false);
    expect(isWanted(leads, "approval.requested", [])).toBe(true);
    expect(isWanted(leads, "run.failed", [])).toBe(false);
    expect(isWanted(channel({ events: ["run.failed"] }), "run.failed", [])).toBe(true);
  });
});

describe("what they are sent", () => {
  it("who is needed, for which tool, until when, and where", () => {
    expect(describeNotice(notice("approval.requested"))).toEqual({
      title: "A call waits for a decision",
      lines: ["shop.refund (high)", "Agent triage in workflow support", "Expires 2026-01-01 10:30 UTC"],
      path: "/inbox/apr_1",
      action: "Review in Kimitsu",
    });
    expect(describeNotice(notice("approval.decided", { decided: { by: "Ana", verdict: "rejected" } })).title).toBe(
      "Ana rejected a call",
    );
    expect(
      describeNotice(notice("approval.decided", { decided: { by: "Ana", verdict: "rejected", token: "bot\u202E" } }))
        .title,
    ).toBe("Ana, by token bot⟨U+202E⟩, rejected a call");
    expect(describeNotice(notice("run.failed", { code: "budget_exceeded" }))).toMatchObject({
      title: "A run of support failed",
      lines: ["Error budget_exceeded"],
      path: "/history/run_1",
    });
  });

  it("shows invisible characters in the name of a tool", () => {
    expect(describeNotice(notice("approval.requested", { tool: "ref\u200Bund" })).lines[0]).toBe(
      "shop.ref⟨U+200B⟩und (high)",
    );
  });

  it("many at once are one message, with the first ten and how many more", () => {
    const many = Array.from({ length: 12 }, (_, place) => notice("approval.requested", { tool: `t${place}` }));
    const message = composeMessage(many);
    expect(message).toMatchObject({ title: "12 calls wait for a decision", path: "/inbox" });
    expect(message.lines).toHaveLength(11);
    expect(message.lines[0]).toBe("A call waits for a decision: shop.t0 (high)");
    expect(message.lines.at(-1)).toBe("and 2 more");
    expect(composeMessage([notice("run.failed"), notice("approval.requested")])).toMatchObject({
      title: "2 things happened",
      path: "/history",
    });
  });
});

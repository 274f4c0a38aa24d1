import { expect, it } from "vitest";
import { refusalForModel } from "@/lib/approvals/rules/after-rejection";
import {
  describeApproval,
  describeExpiry,
  describeRejection,
  listConsequences,
  type RuleFacts,
  messageToAgent,
  readerOf,
} from "./consequences";

const facts: RuleFacts = {
  onReject: "fail",
  timeoutBehavior: "fail",
  triesLeft: 2,
  minApprovals: 1,
  approvals: 0,
  stepKey: "act",
  reach: { ends: "run" },
  hasExpiry: true,
  isPaused: false,
  isRefusedNow: false,
};

it("says that an approval sends the call, or how many people are still missing", () => {
  expect(describeApproval(facts)).toBe("sends it now, once.");
  expect(describeApproval({ ...facts, minApprovals: 2 })).toBe(
    "counts as 1 of 2; it is sent when one more person agrees.",
  );
  expect(describeApproval({ ...facts, minApprovals: 4, approvals: 1 })).toBe(
    "counts as 2 of 4; it is sent when 2 more people agree.",
  );
  expect(describeApproval({ ...facts, minApprovals: 2, approvals: 1 })).toBe("sends it now, once.");
});

it("promises to send nothing now while calls are paused, and nothing at all when today's rules refuse the call", () => {
  expect(describeApproval({ ...facts, isPaused: true })).toBe(
    "is recorded now; the call is sent, once, when calls go again.",
  );
  expect(describeApproval({ ...facts, isPaused: true, minApprovals: 2 })).toBe(
    "counts as 1 of 2; it is sent when one more person agrees and calls go again.",
  );
  expect(describeApproval({ ...facts, isPaused: true, isRefusedNow: true })).toBe(
    "is closed: the project's rules refuse this call now.",
  );
});

it("lists what each button does, with why one is disabled and what happens when nobody decides", () => {
  const words = (given: Partial<Parameters<typeof listConsequences>[0]>) =>
    listConsequences({ rule: facts, confirmWord: null, editClosed: null, ...given }).map(({ button, does }) => [
      button,
      does,
    ]);
  expect(words({}).map(([button]) => button)).toEqual(["Approve", "Reject", "Not now", null]);
  expect(words({ confirmWord: "C-201" })[0]).toEqual(["Approve", "sends it now, once. You type a value first."]);
  expect(words({ editClosed: "someone was quicker." })).toContainEqual(["Edit", "is closed: someone was quicker."]);
});

it("has its own words for each on_reject", () => {
  const words = ["fail", "recover", "retry", "skip", "degrade"].map((onReject) =>
    describeRejection({ ...facts, onReject }),
  );
  expect(new Set(words).size).toBe(5);
  expect(describeRejection({ ...facts, onReject: "retry", triesLeft: 0 })).toContain("no tries left");
});

it("says what a rejection really ends: the run, an item that the fan-out may lose, or a sub-agent", () => {
  expect(describeRejection(facts)).toBe("ends step act, and with it the run.");
  expect(describeRejection({ ...facts, reach: { ends: "item" } })).toBe(
    "ends this item of step act; the step goes on without it.",
  );
  const nested = { ...facts, reach: { ends: "subagent", agent: "clerk", caller: "boss" } } as const;
  expect(describeRejection(nested)).toBe(
    "ends the sub-agent clerk; boss, which called it, is told that it failed and goes on.",
  );
  for (const onReject of ["fail", "recover", "retry", "skip", "degrade"]) {
    expect(describeRejection({ ...nested, onReject }) + describeExpiry({ ...nested, onReject })).not.toContain(
      "the run",
    );
  }
});

it("says that an expired call fails its step, unless the rule lets the agent continue", () => {
  expect(describeExpiry(facts)).toContain("ends step act, and with it the run");
  expect(describeExpiry({ ...facts, timeoutBehavior: "reject", onReject: "recover" })).toContain(
    "counts as a rejection",
  );
  expect(describeExpiry({ ...facts, timeoutBehavior: "reject", onReject: "fail" })).toContain(
    "ends step act, and with it the run",
  );
  expect(describeExpiry({ ...facts, hasExpiry: false })).toBe("It waits until someone decides.");
});

it.each(["fail", "recover", "retry", "skip", "degrade"] as const)(
  "shows for %s exactly what the model will read",
  (onReject) => {
    const message = refusalForModel({
      server: "shop",
      tool: "issue-refund",
      status: "rejected",
      reason: "Not owed",
      rule: { onReject, timeoutBehavior: "fail" },
      refusedBefore: 1,
    });
    expect(JSON.parse(messageToAgent("shop.issue-refund", "Not owed", { ...facts, onReject, triesLeft: 1 }))).toEqual(
      message,
    );
  },
);

it("knows when a rejection ends the step, so that no agent reads the reason", () => {
  expect(readerOf(facts)).toBeNull();
  expect(readerOf({ ...facts, onReject: "retry", triesLeft: 0 })).toBeNull();
  expect(readerOf({ ...facts, onReject: "retry", triesLeft: 1 })).toBe("agent");
  for (const onReject of ["recover", "skip", "degrade"] as const)
    expect(readerOf({ ...facts, onReject })).toBe("agent");
});

it("says of a client's call that the client is told, whatever the rule says for agents", () => {
  const ofClient: RuleFacts = { ...facts, onReject: "skip", reach: { ends: "call" } };
  expect(describeRejection(ofClient)).toBe("tells the client why; the call is not made.");
  expect(describeExpiry(ofClient)).toContain("the client is told that it expired");
  expect(readerOf(ofClient)).toBe("client");
});

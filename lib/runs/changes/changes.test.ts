/** Each change takes effect once, by the state tables, and the same whether it is made or read back. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { type ApprovalRule, DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import {
  applyChange,
  approvalsOf,
  eventsOf,
  keepChange,
  openChange,
  type RunChange,
} from "@/lib/runs/changes/registry";
import { type RowEvent, RowEvents } from "@/lib/runs/changes/row-events";
import { createRun, emptySnapshot, type NewRun } from "@/lib/runs/changes/run-created";
import { endRun } from "@/lib/runs/changes/run-ended";
import { type NewApproval, type NewCall, recordTurn } from "@/lib/runs/changes/turn-recorded";
import type { RunSnapshot } from "@/lib/runs/snapshot";

const AT = "2026-11-17T10:00:00.000Z";
const ACTOR = { kind: "user", id: "usr_1", name: "Ana" } as const;
const RULE: ApprovalRule = { ...DEFAULT_APPROVAL_RULE, minApprovals: 2 };

const RUN: NewRun = {
  id: "run_1",
  workflow: "main",
  version: "1",
  configHash: "h",
  startedBy: ACTOR,
  startedByUserId: "usr_1",
  starterIds: ["usr_1"],
  retryOfRunId: null,
  sessionId: null,
  params: {},
  agents: ["worker"],
  costBudgetUsd: 10,
  steps: [{ id: "step_1", key: "one", type: "agent", agent: "worker" }],
  secrets: null,
};

const CALL: NewCall = {
  id: "call_1",
  stepId: "step_1",
  turnId: "turn_1",
  parentCallId: null,
  modelCallId: "m1",
  agent: "worker",
  server: "shop",
  tool: "refund",
  status: "pending_approval",
  danger: "high",
  arguments: { amount: 1 },
  argumentsCanonical: '{"amount":1}',
  digest: "sha256:1",
  definitionFingerprint: null,
  policyHash: "h",
  trace: [],
  agentSays: null,
  summary: "Refund",
  retrySafe: false,
  costUsd: 6,
  result: null,
  error: null,
};

const APPROVAL: NewApproval = {
  id: "apr_1",
  callId: "call_1",
  stepId: "step_1",
  workflow: "main",
  agent: "worker",
  server: "shop",
  tool: "refund",
  danger: "high",
  summary: "Refund",
  digest: "sha256:1",
  questionDigest: "sha256:q",
  rule: RULE,
  approvers: [],
  minApprovals: 2,
  selfApproval: false,
  editable: true,
  onReject: "fail",
  timeoutBehavior: "fail",
  escalateTo: ["leads"],
  expiresAt: null,
  escalateAt: null,
};

const turn = (
  snapshot: RunSnapshot,
  more: { calls?: NewCall[]; approvals?: NewApproval[]; costUsd?: number } = {},
): RunChange =>
  recordTurn(snapshot, {
    at: AT,
    stepId: "step_1",
    turn: {
      id: "turn_1",
      stepId: "step_1",
      number: 1,
      model: "m",
      request: {},
      response: {},
      tokensIn: 3,
      tokensOut: 4,
      costUsd: more.costUsd ?? 1,
      durationMs: 5,
    },
    calls: more.calls ?? [CALL],
    approvals: more.approvals ?? [APPROVAL],
    stepState: { loaded: ["a"] },
  });

const decide = (userId: string, verdict: "approved" | "rejected"): RunChange => ({
  kind: "approval_decided",
  at: AT,
  approvalId: "apr_1",
  callId: "call_1",
  decision: {
    id: `dec_${userId}`,
    userId,
    userName: userId,
    token: null,
    verdict,
    comment: null,
    reason: "no",
    digest: "sha256:q",
    address: null,
  },
  argumentsDigest: "sha256:1",
  edited: null,
  actor: ACTOR,
});

const executing = (epoch: number): RunChange => ({
  kind: "call_executing",
  at: AT,
  callId: "call_1",
  digest: "sha256:1",
  epoch,
  warnsOfBudget: false,
});

/** Makes the changes, and reads them back as a journal would return them. */
function make(...builds: ((snapshot: RunSnapshot) => RunChange)[]): RunSnapshot {
  const made = emptySnapshot(RUN.id);
  const rows: { kept: string; events: readonly RowEvent[] }[] = [];
  const claimed: RunChange = { kind: "run_claimed", at: AT, worker: "w", from: null, was: "pending" };
  for (const build of [() => createRun(RUN, AT), () => claimed, ...builds]) {
    const change = build(made);
    applyChange(made, change);
    const events = eventsOf(change).map((event) => ({ actor: SYSTEM_ACTOR, ...event }));
    rows.push({ kept: JSON.stringify(keepChange(change, { run: made.run, at: AT, events })), events });
  }
  const read = emptySnapshot(RUN.id);
  for (const { kept, events } of rows) {
    const row = { run: read.run, at: AT, events: new RowEvents(() => events) };
    applyChange(read, openChange(JSON.parse(kept) as object, row));
  }
  expect(JSON.parse(JSON.stringify([...read.calls, ...read.steps, read.run]))).toEqual(
    JSON.parse(JSON.stringify([...made.calls, ...made.steps, made.run])),
  );
  return made;
}

const asked = (snapshot: RunSnapshot) => turn(snapshot);

test("every file of a kind is in the registry", () => {
  const registry = readFileSync(path.join(import.meta.dirname, "registry.ts"), "utf8");
  const kinds = readdirSync(import.meta.dirname).filter((file) =>
    /: ChangeKind<\w+> = \{/.test(readFileSync(path.join(import.meta.dirname, file), "utf8")),
  );
  expect(kinds.length).toBeGreaterThan(20);
  for (const file of kinds) expect(registry).toContain(`changes/${file.replace(/\.ts$/, "")}"`);
});

describe("a question", () => {
  test("moves step, call and figures with the turn that asks it", () => {
    const snapshot = make(asked);
    expect(snapshot.steps.get("step_1")).toMatchObject({
      status: "pending_approval",
      tokensIn: 3,
      state: { loaded: ["a"] },
    });
    expect(snapshot.run).toMatchObject({ costUsd: 1, llmCalls: 1, toolCalls: 1 });
    expect(snapshot.calls.get("call_1")?.approval).toBe(snapshot.approvals.get("apr_1"));
  });

  test("waits until enough people have agreed, and continues with the last of them", () => {
    const one = make(asked, () => decide("usr_2", "approved"));
    expect([one.approvals.get("apr_1")?.status, one.calls.get("call_1")?.status]).toEqual([
      "pending",
      "pending_approval",
    ]);
    expect(one.approvals.get("apr_1")).toMatchObject({ approvals: 1, version: 2 });
    const two = make(
      asked,
      () => decide("usr_2", "approved"),
      () => decide("usr_3", "approved"),
    );
    expect([
      two.approvals.get("apr_1")?.status,
      two.calls.get("call_1")?.status,
      two.steps.get("step_1")?.status,
    ]).toEqual(["approved", "approved", "running"]);
  });

  test("is over with the first rejection, and takes no second answer", () => {
    const rejected = make(asked, () => decide("usr_2", "rejected"));
    expect(rejected.calls.get("call_1")).toMatchObject({
      status: "rejected",
      error: { code: "rejected", message: "no" },
      completedAt: AT,
    });
    expect(() => applyChange(rejected, decide("usr_3", "rejected"))).toThrow(
      "apr_1 is rejected and cannot become rejected",
    );
  });

  test("that a change names has its row written with it", () => {
    const snapshot = make(asked);
    expect(approvalsOf(turn(snapshot))).toEqual(["apr_1"]);
    expect(approvalsOf(decide("usr_2", "approved"))).toEqual(["apr_1"]);
    expect(
      approvalsOf(
        endRun(snapshot, { end: { status: "failed", error: { code: "x", message: "y" } }, activeMs: 1, at: AT }),
      ),
    ).toEqual(["apr_1"]);
  });
});

describe("a call", () => {
  const allowed = (snapshot: RunSnapshot, retrySafe = false) =>
    turn(snapshot, { calls: [{ ...CALL, status: "approved", retrySafe }], approvals: [] });

  test("is charged when it is begun, and refunded when nothing was sent", () => {
    const begun = make(allowed, () => executing(1));
    expect(begun.run.costUsd).toBe(7);
    expect(begun.calls.get("call_1")).toMatchObject({ status: "executing", epoch: 1, attempt: 1, executingAt: AT });
    applyChange(begun, { kind: "call_not_sent", at: AT, callId: "call_1", begun: true, refundUsd: 6, wait: null });
    expect([begun.run.costUsd, begun.calls.get("call_1")?.status]).toEqual([1, "approved"]);
  });

  test("is begun a second time only when that is harmless", () => {
    expect(() =>
      make(
        allowed,
        () => executing(1),
        () => executing(2),
      ),
    ).toThrow("call call_1 was sent before");
    const twice = make(
      (snapshot) => allowed(snapshot, true),
      () => executing(1),
      () => executing(2),
    );
    expect(twice.calls.get("call_1")).toMatchObject({ attempt: 2, epoch: 2 });
  });

  test("that was sent keeps its run from ending until its result is there", () => {
    const begun = make(allowed, () => executing(1));
    const end = { end: { status: "complete", output: {} }, activeMs: 1, at: AT } as const;
    expect(() => endRun(begun, end)).toThrow("which has no result");
    applyChange(begun, {
      kind: "call_ended",
      at: AT,
      callId: "call_1",
      status: "succeeded",
      result: { ok: true },
      error: null,
      durationMs: 1,
      refundUsd: 0,
    });
    applyChange(begun, endRun(begun, end));
    expect([begun.run.status, begun.steps.get("step_1")?.status]).toEqual(["complete", "cancelled"]);
  });

  test("takes its run over the warning threshold once", () => {
    const snapshot = make((before) => turn(before, { calls: [], approvals: [], costUsd: 7.9 }));
    expect(eventsOf(turn(snapshot, { calls: [], approvals: [], costUsd: 0.2 })).map(({ type }) => type)).toContain(
      "run.budget_warning",
    );
    expect(eventsOf(turn(snapshot, { calls: [], approvals: [], costUsd: 0.05 })).map(({ type }) => type)).not.toContain(
      "run.budget_warning",
    );
  });
});

/** The parts that changes of a run are made of, with defaults where the test has no values of its own. */
import { createHash } from "node:crypto";
import { createId } from "@/lib/ids";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import type { RunChange } from "@/lib/runs/changes/registry";
import type { NewRun, NewStep } from "@/lib/runs/changes/run-created";
import type { NewApproval, NewCall, NewTurn } from "@/lib/runs/changes/turn-recorded";
import type { DecisionRow } from "@/lib/runs/snapshot";

export const TEST_HASH = `sha256:${"0".repeat(64)}`;

export const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

export function aStep(facts: Partial<NewStep> = {}): NewStep {
  return { id: createId("step"), key: "work", type: "agent", agent: "worker", ...facts };
}

/** The project version that it names must exist: see keepTestVersion. */
export function aRun(facts: Partial<NewRun> = {}): NewRun {
  return {
    id: createId("run"),
    workflow: "main",
    version: "1.0.0",
    configHash: TEST_HASH,
    startedBy: SYSTEM_ACTOR,
    startedByUserId: null,
    starterIds: [],
    retryOfRunId: null,
    sessionId: null,
    params: {},
    agents: ["worker"],
    costBudgetUsd: null,
    steps: [aStep()],
    secrets: null,
    ...facts,
  };
}

export function aTurn(stepId: string, facts: Partial<NewTurn> = {}): NewTurn {
  return {
    id: createId("turn"),
    stepId,
    number: 1,
    model: "test/m",
    request: { messages: [] },
    response: { text: "I act." },
    tokensIn: 10,
    tokensOut: 5,
    costUsd: 0,
    durationMs: 1,
    ...facts,
  };
}

export function aCall(stepId: string, facts: Partial<NewCall> = {}): NewCall {
  return {
    id: createId("call"),
    stepId,
    turnId: null,
    parentCallId: null,
    modelCallId: null,
    agent: "worker",
    server: "recorder",
    tool: "echo",
    status: "approved",
    danger: "medium",
    arguments: {},
    argumentsCanonical: "{}",
    digest: digestOf("{}"),
    definitionFingerprint: null,
    policyHash: TEST_HASH,
    trace: [],
    agentSays: null,
    summary: "Use echo",
    retrySafe: false,
    costUsd: 0,
    result: null,
    error: null,
    ...facts,
  };
}

export function aQuestion(call: NewCall, facts: Partial<NewApproval> = {}): NewApproval {
  const { stepId, agent, server, tool, danger, summary, digest } = call;
  return {
    id: createId("approval"),
    callId: call.id,
    stepId,
    agent,
    server,
    tool,
    danger,
    summary,
    digest,
    workflow: "main",
    questionDigest: digest,
    rule: { ...DEFAULT_APPROVAL_RULE },
    approvers: [],
    minApprovals: 1,
    selfApproval: false,
    editable: true,
    onReject: "fail",
    timeoutBehavior: "fail",
    escalateTo: [],
    expiresAt: null,
    escalateAt: null,
    ...facts,
  };
}

type Decision = Omit<DecisionRow, "at" | "argumentsCanonical">;

export function aDecision(userId: string, facts: Partial<Decision> = {}): Decision {
  return {
    id: createId("decision"),
    userId,
    userName: "Test reviewer",
    token: null,
    verdict: "approved",
    comment: null,
    reason: null,
    digest: TEST_HASH,
    address: null,
    ...facts,
  };
}

interface Recorded {
  turn?: NewTurn | null;
  calls?: NewCall[];
  approvals?: NewApproval[];
}

export function turnRecordedAt(
  at: string,
  stepId: string,
  { turn = null, calls = [], approvals = [] }: Recorded,
): RunChange {
  return {
    kind: "turn_recorded",
    at,
    stepId,
    turn,
    calls,
    approvals,
    stepState: {},

    warnsOfBudget: false,
  };
}

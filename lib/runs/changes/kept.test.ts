/** What a journal row omits from a change is filled in when the row is read, and what differs is stored. */
import { describe, expect, test } from "vitest";
import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { eventsOf, keepChange, openChange, type RunChange } from "@/lib/runs/changes/registry";
import { type RowEvent, RowEvents } from "@/lib/runs/changes/row-events";
import { canonicalizeArguments, digestArguments } from "@/lib/text/digest";
import { columnsOfRule } from "@/lib/runs/changes/kept-call";
import { nothingOpen } from "@/lib/runs/changes/left-open";
import type { NewApproval, NewCall, NewTurn, TurnRecorded } from "@/lib/runs/changes/turn-recorded";

const AT = "2026-11-17T10:00:00.000Z";
const RUN = { id: "run_1", workflow: "main", configHash: "sha256:project" };
const ARGUMENTS = { amount: 5, note: "pay" };

const TURN: NewTurn = {
  id: "turn_1",
  stepId: "step_1",
  number: 1,
  model: "p/m",
  request: { messages: [{ role: "user", text: "Go." }] },
  response: {
    text: "I pay.",
    toolCalls: [{ id: "m1", name: "pay", arguments: ARGUMENTS }],
    finishReason: "tool_calls",
    usage: { tokensIn: 9, tokensOut: 5 },
    attempts: [{ model: "p/m", attempt: 1, outcome: "succeeded", message: null, durationMs: 7, waitedMs: 0 }],
  },
  tokensIn: 9,
  tokensOut: 5,
  costUsd: 0,
  durationMs: 7,
};

const source = { file: "agents/worker.agent.yaml", line: 6, column: 58 };
const TRACE = [
  { layer: "allowlist", outcome: "pass", reason: 'allowed to be called by "pay"', source, agent: "worker" },
  { layer: "bypass", outcome: "pass", reason: "mode is not bypass", agent: "worker" },
  { layer: "plan", outcome: "pass", reason: "words of another release", agent: "worker" },
  { layer: "budget", outcome: "deny", reason: "no budget is set", agent: "above" },
  { layer: "tool_list", outcome: "pass", reason: "the server lists the tool" },
  { layer: "allowlist", outcome: "pass", reason: "", agent: "" },
];

const CALL: NewCall = {
  id: "call_1",
  turnId: "turn_1",
  stepId: "step_1",
  parentCallId: null,
  modelCallId: "m1",
  agent: "worker",
  server: "bank",
  tool: "pay",
  status: "pending_approval",
  danger: "high",
  arguments: ARGUMENTS,
  argumentsCanonical: canonicalizeArguments(ARGUMENTS),
  digest: digestArguments(ARGUMENTS),
  definitionFingerprint: "sha256:definition",
  policyHash: RUN.configHash,
  trace: TRACE,
  agentSays: "I pay.",
  summary: "Pay 5",
  retrySafe: false,
  costUsd: 0,
  result: null,
  error: null,
};

const RULE = { ...DEFAULT_APPROVAL_RULE, approvers: ["admin"], escalate: { afterMs: 5, to: ["leads"] } };
const QUESTION: NewApproval = {
  id: "apr_1",
  callId: "call_1",
  stepId: "step_1",
  workflow: "main",
  agent: "worker",
  server: "bank",
  tool: "pay",
  danger: "high",
  summary: "Pay 5",
  digest: CALL.digest,
  questionDigest: "sha256:question",
  rule: RULE,
  ...columnsOfRule(RULE),
  expiresAt: null,
  escalateAt: null,
};

const recorded = (facts: Partial<TurnRecorded> = {}): TurnRecorded => ({
  kind: "turn_recorded",
  at: AT,
  stepId: "step_1",
  turn: TURN,
  calls: [CALL],
  approvals: [QUESTION],
  stepState: {},
  warnsOfBudget: false,
  ...facts,
});

/** As a row has them. */
const eventsIn = (change: RunChange): RowEvent[] =>
  JSON.parse(JSON.stringify(eventsOf(change).map((event) => ({ actor: SYSTEM_ACTOR, ...event })))) as RowEvent[];

const write = (change: RunChange, at = AT) =>
  JSON.stringify(keepChange(change, { run: RUN, at, events: eventsIn(change) }));

/** In a row with these events. */
const read = (text: string, events: readonly RowEvent[], at = AT) =>
  openChange(JSON.parse(text) as object, { run: RUN, at, events: new RowEvents(() => events) });

const readBack = (change: RunChange, at = AT) => read(write(change, at), eventsIn(change), at);

describe("a turn", () => {
  test("is stored without what its parts say about each other, and read back unchanged", () => {
    const kept = write(recorded());
    expect(readBack(recorded())).toEqual(recorded());
    const left = ["at", "policyHash", "argumentsCanonical", "agentSays", "workflow", "minApprovals", "usage"];
    for (const name of [...left, "callId", "questionDigest", "definitionFingerprint", "model", "number", "danger"]) {
      expect(kept).not.toContain(`"${name}":`);
    }
    expect(kept.split(CALL.digest).length + kept.split('"pay"').length).toBeLessThan(6);
    expect(kept.length).toBeLessThan(JSON.stringify(recorded()).length / 2);
  });

  test.each<[string, Partial<NewCall>]>([
    ["of another version of the project", { policyHash: "sha256:other" }],
    ["with arguments that were redacted", { arguments: { amount: 5, note: "[hidden]" } }],
    ["with a digest that is not of these arguments", { digest: "sha256:else" }],
    ["of another step and turn, and of a sub-agent", { stepId: "step_2", turnId: null, parentCallId: "call_0" }],
    ["that was answered at once", { status: "failed", result: { ok: 1 }, error: { code: "x", message: "y" } }],
    ["that costs, and may be sent twice", { costUsd: 2, retrySafe: true, agentSays: null, modelCallId: null }],
    ["without a trace", { trace: null }],
    ["that passed no layer", { trace: [] }],
  ])("keeps all of a call %s", (_what, facts) => {
    const change = recorded({ calls: [{ ...CALL, ...facts }] });
    expect(readBack(change)).toEqual(change);
  });

  test("keeps the canonical text of arguments that the model gave in another order", () => {
    const response = { text: "", toolCalls: [{ id: "m1", name: "pay", arguments: { note: "pay", amount: 5 } }] };
    const change = recorded({ turn: { ...TURN, response } });
    expect(write(change)).toContain('"argumentsCanonical":');
    expect((readBack(change) as TurnRecorded).calls[0]?.argumentsCanonical).toBe(CALL.argumentsCanonical);
    expect(readBack(change)).toEqual(change);
  });

  test.each<[string, Partial<NewApproval>]>([
    ["about another agent and workflow", { agent: "other", workflow: "second", danger: "low" }],
    [
      "with columns that are not those of its rule",
      { approvers: [], minApprovals: 3, escalateTo: [], editable: false },
    ],
    ["with times", { expiresAt: AT, escalateAt: AT }],
    ["about a call that is not of this turn", { callId: "call_9" }],
    [
      "with a rule that says otherwise in everything",
      { rule: { ...RULE, edit: false, timeoutMs: 3, minApprovals: 2 } },
    ],
  ])("keeps all of a question %s", (_what, facts) => {
    const change = recorded({ approvals: [{ ...QUESTION, ...facts }] });
    expect(readBack(change)).toEqual(change);
  });

  test.each<[string, TurnRecorded]>([
    ["that cost something, and warns", recorded({ turn: { ...TURN, costUsd: 2 }, warnsOfBudget: true })],
    ["without an answer of a model", recorded({ turn: null, calls: [], approvals: [], stepState: { a: 1 } })],
    ["with an answer in another form", recorded({ turn: { ...TURN, response: { text: "x" } } })],
    ["with an answer that is none", recorded({ turn: { ...TURN, response: null } })],
    ["with more than one attempt", recorded({ turn: { ...TURN, durationMs: 8 } })],
  ])("%s is read back as it was", (_what, change) => {
    expect(readBack(change)).toEqual(change);
  });
});

const DECISION = {
  id: "dec_1",
  userId: "usr_1",
  userName: "Ana",
  verdict: "approved",
  digest: "sha256:question",
} as const;
const plain = { token: null, comment: null, reason: null, address: null };
const decided = { kind: "approval_decided", at: AT, approvalId: "apr_1", callId: "call_1" } as const;
const actor = { kind: "user", id: "usr_1", name: "Ana" } as const;
const token = { id: "tok_1", name: "ci" };
const leftOpen = { steps: [{ id: "step_1", key: "one" }], calls: [], approvals: [] };
const run = { id: "run_1", workflow: "main", version: "1", configHash: "h", startedBy: actor, agents: ["worker"] };
const unusual = {
  startedByUserId: "usr_1",
  starterIds: ["usr_1"],
  retryOfRunId: "run_0",
  sessionId: "ses_1",
  params: { a: 1 },
};

const CHANGES: [string, RunChange, RunChange][] = [
  [
    "a decision",
    { ...decided, decision: { ...DECISION, ...plain }, argumentsDigest: "sha256:1", edited: null, actor },
    {
      ...decided,
      decision: { ...DECISION, token, comment: "c", reason: "r", address: "10.0.0.1" },
      argumentsDigest: "sha256:1",
      edited: { canonical: "{}", shown: {}, digest: "d", questionDigest: "q", summary: "s" },
      actor: { kind: "token", id: "tok_1", name: "ci", userId: "usr_1" },
    },
  ],
  [
    "the beginning of a run",
    {
      kind: "run_created",
      at: AT,
      run: {
        ...run,
        startedByUserId: null,
        starterIds: [],
        retryOfRunId: null,
        sessionId: null,
        params: {},
        costBudgetUsd: null,
      },
      steps: [],
    },
    { kind: "run_created", at: AT, run: { ...run, ...unusual, costBudgetUsd: 3 }, steps: [] },
  ],
  [
    "the result of a call",
    {
      kind: "call_ended",
      at: AT,
      callId: "c",
      status: "succeeded",
      result: 1,
      error: null,
      durationMs: 1,
      refundUsd: 0,
    },
    {
      kind: "call_ended",
      at: AT,
      callId: "c",
      status: "failed",
      result: null,
      error: { code: "x", message: "y" },
      durationMs: 1,
      refundUsd: 2,
    },
  ],
  [
    "a call that is sent",
    { kind: "call_executing", at: AT, callId: "c", digest: "d", epoch: 1, warnsOfBudget: false },
    { kind: "call_executing", at: AT, callId: "c", digest: "d", epoch: 1, warnsOfBudget: true },
  ],
  [
    "a claim",
    { kind: "run_claimed", at: AT, worker: "wrk_1", from: null, was: "pending_approval" },
    { kind: "run_claimed", at: AT, worker: "wrk_1", from: "wrk_0", was: "needs_human_review" },
  ],
  [
    "a pause",
    { kind: "run_parked", at: AT, status: "pending_approval", wakeAt: null, activeMs: 1 },
    { kind: "run_parked", at: AT, status: "running", wakeAt: AT, activeMs: 1, worker: "wrk_1" },
  ],
  [
    "the end of a run",
    { kind: "run_ended", at: AT, end: { status: "complete", output: 1 }, activeMs: 1, leftOpen: nothingOpen() },
    { kind: "run_ended", at: AT, end: { status: "failed", error: { code: "x", message: "y" } }, activeMs: 1, leftOpen },
  ],
];

test.each([...CHANGES, ["a turn", recorded(), recorded({ calls: [] })] as (typeof CHANGES)[number]])(
  "%s is read back as it was made, usual or not, and so is a row that leaves nothing out",
  (_what, ...changes) => {
    for (const change of changes) {
      expect(readBack(change)).toEqual(change);
      expect(write(change)).not.toContain('"at":');
      expect(readBack(change, "2026-11-17T10:00:01.000Z")).toEqual(change);
      expect(read(JSON.stringify(change), [])).toEqual(change);
      expect(read(JSON.stringify(change), eventsIn(change))).toEqual(change);
    }
  },
);

test("several changes of one row each read their own events, whatever stands between them", () => {
  const decide = (id: string): RunChange => ({
    ...decided,
    approvalId: id,
    callId: `call_of_${id}`,
    decision: { ...DECISION, ...plain },
    argumentsDigest: `sha256:${id}`,
    edited: null,
    actor,
  });
  const ended: RunChange = {
    kind: "call_ended",
    at: AT,
    callId: "call_0",
    status: "succeeded",
    result: 1,
    error: null,
    durationMs: 1,
    refundUsd: 0,
  };
  const webhook = recorded({ turn: null, approvals: [] });
  const claim: RunChange = { kind: "run_claimed", at: AT, worker: "wrk_1", from: null, was: "pending_approval" };
  const changes = [decide("apr_1"), ended, webhook, recorded(), ended, decide("apr_2"), recorded(), claim];
  const events = new RowEvents(() => changes.flatMap(eventsIn));
  const back = changes.map((change) => openChange(JSON.parse(write(change)) as object, { run: RUN, at: AT, events }));
  expect(back).toEqual(changes);
});

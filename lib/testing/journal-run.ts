/** Runs on the journal alone, without models, tools or a worker: the test says what happened to them. */
import { digestQuestion } from "@/lib/approvals/rules/question-digest";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import type { Actor } from "@/lib/people/rules/actor";
import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import { keepProjectVersion } from "@/lib/projects/transitions/keep-project-version";
import { executeCall } from "@/lib/runs/changes/call-executing";
import type { RunChange } from "@/lib/runs/changes/registry";
import { endRun } from "@/lib/runs/changes/run-ended";
import { type NewApproval, type NewCall, recordTurn } from "@/lib/runs/changes/turn-recorded";
import { changeRun } from "@/lib/runs/journal/change-run";
import { getOpenRun } from "@/lib/runs/journal/open-run";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { canonicalizeArguments, digestArguments } from "@/lib/text/digest";

const STARTER: Actor = { kind: "user", id: "usr_starter", name: "Starter" };
const HASH = `sha256:${"0".repeat(64)}`;

export interface JournalRun {
  id: string;
  stepId: string;
  /** Commits what `build` makes of the current run, as one journal row. */
  change(build: (snapshot: RunSnapshot, at: string) => RunChange[]): Promise<void>;
  /** A turn that asks for one call, about which people are asked; then the run waits for them. */
  ask(args?: Record<string, unknown>): Promise<{ callId: string; approvalId: string }>;
  decide(approvalId: string, person: Actor): Promise<void>;
  /** The approved call is sent and succeeds, and the run completes. */
  finish(callId: string): Promise<void>;
}

export async function startJournalRun({ db, now }: EngineDeps, startedBy: Actor = STARTER): Promise<JournalRun> {
  const [id, stepId] = [createId("run"), createId("step")];
  await keepProjectVersion(db, { hash: HASH, files: {}, environment: null }, now());
  const starterIds = startedBy.kind === "user" ? [startedBy.id] : [];
  await writeNewRun(
    db,
    {
      id,
      workflow: "main",
      version: "",
      configHash: HASH,
      startedBy,
      startedByUserId: starterIds[0] ?? null,
      starterIds,
      retryOfRunId: null,
      sessionId: null,
      params: { order: 7 },
      agents: ["worker"],
      costBudgetUsd: null,
      steps: [{ id: stepId, key: "work", type: "agent", agent: "worker" }],
      secrets: null,
    },
    null,
    now(),
  );
  const change: JournalRun["change"] = async (build) => {
    const at = now();
    const queue = { kind: "release", wakeAt: null } as const;
    const { kind } = await changeRun(db, id, {
      at,
      build: ({ snapshot }) => ({ changes: build(snapshot, at.toISOString()), queue, done: null }),
    });
    if (kind !== "done") throw new Error(`the change was ${kind}`);
  };
  const claim = () =>
    change(({ run }, at) => [{ kind: "run_claimed", at, worker: "wrk_test", from: null, was: run.status }]);
  return {
    id,
    stepId,
    change,
    async ask(args = { amount: 5000 }) {
      const { snapshot } = await getOpenRun(db, id);
      const { call, approval } = questionOf(snapshot, { stepId, args });
      if (snapshot.run.status !== "running") await claim();
      await change((open, at) => [
        recordTurn(open, { at, stepId, turn: turnOf(open, call), calls: [call], approvals: [approval], stepState: {} }),
      ]);
      await change((_, at) => [
        { kind: "run_parked", at, status: "pending_approval", wakeAt: null, activeMs: 5, worker: "wrk_test" },
      ]);
      return { callId: call.id, approvalId: approval.id };
    },
    decide: (approvalId, person) => change((open, at) => [decisionOf(open, { approvalId, person, at })]),
    async finish(callId) {
      await claim();
      await change(({ calls, ...open }, at) => [executeCall({ calls, ...open }, calls.get(callId)!, { epoch: 1, at })]);
      const ended = { kind: "call_ended", callId, status: "succeeded", result: { output: "paid" } } as const;
      await change((_, at) => [{ ...ended, at, error: null, durationMs: 3, refundUsd: 0 }]);
      await change((open, at) => {
        const output = { told: "paid" };
        return [
          { kind: "step_moved", at, move: { stepId, key: "work", to: "complete", output } },
          endRun(stepEnded(open, stepId), { end: { status: "complete", output: { work: output } }, activeMs: 5, at }),
        ];
      });
    },
  };
}

/** For changes that end the run: the step that ends with it is no longer open. */
function stepEnded(snapshot: RunSnapshot, stepId: string): RunSnapshot {
  return { ...snapshot, steps: new Map([...snapshot.steps].filter(([id]) => id !== stepId)) };
}

function questionOf({ run }: RunSnapshot, { stepId, args }: { stepId: string; args: Record<string, unknown> }) {
  const about = {
    stepId,
    agent: "worker",
    server: "bank",
    tool: "pay",
    danger: "high",
    summary: "Pay",
    digest: digestArguments(args),
  };
  const call: NewCall = {
    ...about,
    id: createId("call"),
    turnId: createId("turn"),
    parentCallId: null,
    modelCallId: "toolu_1",
    status: "pending_approval",
    arguments: args,
    argumentsCanonical: canonicalizeArguments(args),
    definitionFingerprint: null,
    policyHash: HASH,
    trace: [],
    agentSays: null,
    retrySafe: false,
    costUsd: 0,
    result: null,
    error: null,
  };
  const approvalId = createId("approval");
  const { starterIds, workflow } = run;
  const approval: NewApproval = {
    ...about,
    id: approvalId,
    callId: call.id,
    workflow,
    questionDigest: digestQuestion({ ...call, approvalId, callId: call.id, runId: run.id, workflow, starterIds }),
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
  };
  return { call, approval };
}

function turnOf({ turns }: RunSnapshot, { stepId, turnId, modelCallId, tool, arguments: args }: NewCall) {
  return {
    id: turnId!,
    stepId,
    number: (turns.get(stepId)?.length ?? 0) + 1,
    model: "test/m",
    request: [{ role: "user", content: "Go." }],
    response: { text: "I pay.", toolCalls: [{ id: modelCallId, name: tool, arguments: args }] },
    tokensIn: 10,
    tokensOut: 5,
    costUsd: 0.000015,
    durationMs: 4,
  };
}

function decisionOf(
  { approvals }: RunSnapshot,
  { approvalId, person, at }: { approvalId: string; person: Actor; at: string },
): RunChange {
  const { callId, questionDigest, digest } = approvals.get(approvalId)!;
  const said = {
    verdict: "approved",
    comment: null,
    reason: null,
    digest: questionDigest,
    address: null,
    token: null,
  } as const;
  const decision = { ...said, id: createId("decision"), userId: person.id, userName: person.name };
  return {
    kind: "approval_decided",
    at,
    approvalId,
    callId,
    decision,
    argumentsDigest: digest,
    edited: null,
    actor: person,
  };
}

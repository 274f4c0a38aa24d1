import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import type { Db } from "@/lib/database/client";
import type { RunChange } from "@/lib/runs/changes/registry";
import type { NewStep } from "@/lib/runs/changes/run-created";
import { endRun } from "@/lib/runs/changes/run-ended";
import type { StepError } from "@/lib/runs/snapshot";
import { aCall, aDecision, aQuestion, aRun, aStep, aTurn, digestOf, turnRecordedAt } from "@/lib/testing/changes";
import { projectAll } from "@/lib/testing/project-all";
import { keepTestVersion, type MadeChange, writeRuns } from "@/lib/testing/write-runs";

export interface PastCall {
  server: string;
  tool: string;
  askedAt: Date;
  /** Until the decision or the expiry. */
  tookMs: number;
  outcome: "approved" | "rejected" | "expired" | "cancelled";
  /** Who decided; several when several approvals were needed. */
  by?: readonly string[];
  danger?: "medium" | "high" | "critical";
  /** The line of agents/worker.agent.yaml that asked. */
  line?: number;
  approvers?: readonly string[];
}

export interface PastRun {
  workflow: string;
  at: Date;
  status?: "complete" | "failed";
  turns?: readonly { model: string; tokensIn: number; tokensOut: number; costUsd: number }[];
  calls?: readonly PastCall[];
}

/** A run at a time of the test's choosing: the engine itself cannot run in the past. Returns the run's id. */
export async function buildPastRun(db: Db, past: PastRun): Promise<string> {
  const { turns = [], calls = [], status = "complete", workflow, at: begun } = past;
  const at = begun.toISOString();
  const step = aStep();
  const run = aRun({ workflow, steps: [step], startedBy: { kind: "system", id: "past", name: "Past" } });
  const error = { code: "failed", message: "It failed on purpose." };
  const end = status === "failed" ? { status, error } : { status, output: null };
  const commits: MadeChange[][] = [
    [{ kind: "run_claimed", at, worker: "wrk_past", from: null, was: "pending" }],
    [{ kind: "step_moved", at, move: { stepId: step.id, key: step.key, to: "running" } }],
    ...turns.map((turn, index) => [
      turnRecordedAt(at, step.id, { turn: aTurn(step.id, { ...turn, number: index + 1 }) }),
    ]),
    ...calls.map((call) => tellCall({ stepId: step.id, workflow }, call)),
    ...(calls.some(({ outcome }) => outcome === "cancelled") ? [] : [[tellStepEnd(step, { status, error, at })]]),
    // What was withdrawn ends with the run, and so does the step that waits for it.
    [(snapshot) => endRun(snapshot, { end, activeMs: 0, at })],
  ];
  await keepTestVersion(db);
  await writeRuns(db, [{ run, at: begun, commits }]);
  await projectAll(db);
  return run.id;
}

function tellStepEnd(
  { id: stepId, key }: NewStep,
  { status, error, at }: { status: "complete" | "failed"; error: StepError; at: string },
): RunChange {
  const move = { stepId, key, to: status, ...(status === "failed" && { error }) };
  return { kind: "step_moved", at, move };
}

/** What was asked and answered; what was withdrawn ends with the run. */
function tellCall(of: { stepId: string; workflow: string }, past: PastCall): RunChange[] {
  const { server, tool, askedAt, tookMs, outcome, by = [], danger = "medium", line = 1, approvers = [] } = past;
  const source = { file: "agents/worker.agent.yaml", line, column: 1 };
  const reason = `Asked by line ${line}`;
  const trace: TraceEntry[] = [{ layer: "require_approval", outcome: "ask", reason, source }];
  const digest = digestOf(`${server}.${tool}`);
  const call = aCall(of.stepId, {
    server,
    tool,
    danger,
    digest,
    trace,
    summary: `Use ${tool}`,
    status: "pending_approval",
  });
  const rule = { ...DEFAULT_APPROVAL_RULE, approvers: [...approvers], reason };
  const minApprovals = Math.max(by.length, 1);
  const question = aQuestion(call, { workflow: of.workflow, rule, approvers: [...approvers], minApprovals });
  const at = new Date(askedAt.getTime() + tookMs).toISOString();
  const about = { at, approvalId: question.id, callId: call.id };
  const asked = turnRecordedAt(askedAt.toISOString(), of.stepId, { calls: [call], approvals: [question] });
  const decide = (userId: string, verdict: "approved" | "rejected"): RunChange => {
    const actor = { kind: "user", id: userId, name: "Past" } as const;
    const decision = aDecision(userId, { verdict, digest });
    return { kind: "approval_decided", ...about, decision, argumentsDigest: digest, edited: null, actor };
  };
  if (outcome === "cancelled") return [asked];
  if (outcome === "expired") return [asked, { kind: "approval_expired", ...about }];
  const decided = by.map((userId) => decide(userId, outcome));
  return [asked, ...decided, ...(outcome === "approved" ? tellSent(call.id, { at, digest }) : [])];
}

const tellSent = (callId: string, { at, digest }: { at: string; digest: string }): RunChange[] => [
  { kind: "call_executing", at, callId, digest, epoch: 1, warnsOfBudget: false },
  { kind: "call_ended", at, callId, status: "succeeded", result: null, error: null, durationMs: 1, refundUsd: 0 },
];

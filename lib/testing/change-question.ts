import { digestQuestion } from "@/lib/approvals/rules/question-digest";
import type { Db } from "@/lib/database/client";
import { createId } from "@/lib/ids";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { RunChange } from "@/lib/runs/changes/registry";
import type { NewApproval, NewCall } from "@/lib/runs/changes/turn-recorded";
import { changeRun } from "@/lib/runs/journal/change-run";
import type { ApprovalRow, CallRow, RunSnapshot } from "@/lib/runs/snapshot";

interface Change {
  approval?: Partial<
    Pick<NewApproval, "danger" | "workflow" | "agent" | "server" | "tool" | "summary" | "approvers" | "minApprovals">
  > & { expiresAt?: Date | null; onReject?: ApprovalRule["onReject"] };
  call?: Partial<
    Pick<CallRow, "arguments" | "argumentsCanonical" | "digest" | "trace" | "definitionFingerprint" | "agentSays">
  >;
}

/** Changes questions as if they had been asked like this: each is asked again under its own id. */
export async function changeQuestions(db: Db, ids: readonly string[], change: Change = {}): Promise<void> {
  for (const id of ids) {
    const { runId } = await db.approval.findUniqueOrThrow({ where: { id }, select: { runId: true } });
    const build = ({ snapshot }: { snapshot: RunSnapshot }) => {
      const asked = askAnew(snapshot, id, change);
      return { changes: [asked], queue: { kind: "stay" } as const, done: asked.approval };
    };
    // Its row already exists, under the version of a new question.
    const outcome = await changeRun(db, runId, { build, at: new Date(), despiteRow: true });
    if (outcome.kind !== "done") throw new Error(`the question ${id} could not be changed: ${outcome.kind}`);
    // An existing question keeps these; here they are as if it had always been so.
    const { danger, workflow, agent, server, tool, onReject } = outcome.done;
    const data = { workflow, agent, server, tool, danger: danger as "high", onReject: onReject as "fail" };
    await db.approval.update({ where: { id }, data });
  }
}

function askAnew({ run, calls, approvals }: RunSnapshot, id: string, { approval = {}, call = {} }: Change) {
  const before = approvals.get(id);
  const called = calls.get(before?.callId ?? "");
  if (!before || !called) throw new Error(`run ${run.id} has no question ${id}`);
  const { expiresAt, ...facts } = approval;
  const { onReject = before.rule.onReject } = facts;
  const question: NewApproval = { ...toNew(before), ...facts, rule: { ...before.rule, onReject } };
  if (expiresAt !== undefined) question.expiresAt = expiresAt?.toISOString() ?? null;
  const { server, tool, danger, summary } = question;
  const asked = { ...called, ...call, server, tool, danger, summary };
  question.digest = asked.digest;
  question.questionDigest = digestQuestion({
    ...asked,
    ...question,
    approvalId: id,
    runId: run.id,
    starterIds: run.starterIds,
  });
  const change = {
    kind: "call_asked_again",
    at: before.createdAt,
    call: toAsked(asked),
    why: "changed by a test",
  } as const;
  return { ...change, approval: question, error: null } satisfies RunChange;
}

/** Fields that are filled in over time; all others are what was asked. */
const LATER_APPROVAL = [
  "status",
  "approvals",
  "version",
  "escalatedAt",
  "createdAt",
  "decidedAt",
  "decisions",
  "reason",
  "edited",
] as const;
const LATER_CALL = ["attempt", "epoch", "createdAt", "executingAt", "settledAt", "completedAt", "approval"] as const;

const without = <Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Omit<Row, Name> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name as Name))) as Omit<Row, Name>;

const toNew = (approval: ApprovalRow): NewApproval => without(approval, LATER_APPROVAL);

function toAsked(call: CallRow) {
  const {
    id,
    stepId,
    server,
    tool,
    danger,
    arguments: shown,
    argumentsCanonical,
    digest,
    definitionFingerprint,
  } = call;
  const { policyHash, trace, summary, retrySafe, agentSays } = call;
  return {
    id,
    stepId,
    server,
    tool,
    danger,
    arguments: shown,
    argumentsCanonical,
    digest,
    definitionFingerprint,
    policyHash,
    trace,
    summary,
    retrySafe,
    agentSays,
  };
}

/** Adds copies of the same call, each with a question of its own. Returns their approvals. */
export async function copyQuestion(
  db: Db,
  approvalId: string,
  count: number,
): Promise<{ id: string; callId: string }[]> {
  const { runId } = await db.approval.findUniqueOrThrow({ where: { id: approvalId }, select: { runId: true } });
  const copies = Array.from({ length: count }, () => ({ id: createId("approval"), callId: createId("call") }));
  const at = new Date();
  const build = ({ snapshot }: { snapshot: RunSnapshot }) => {
    const before = snapshot.approvals.get(approvalId);
    const called = snapshot.calls.get(before?.callId ?? "");
    if (!before || !called) throw new Error(`run ${runId} has no question ${approvalId}`);
    const parts = copies.map((ids) => copyOf(snapshot, { before, called, ids }));
    const change: RunChange = {
      kind: "turn_recorded",
      at: at.toISOString(),
      stepId: called.stepId,
      turn: null,
      stepState: {},
      calls: parts.map(({ call }) => call),
      approvals: parts.map(({ approval }) => approval),
      warnsOfBudget: false,
    };
    return { changes: [change], queue: { kind: "stay" } as const, done: null };
  };
  await changeRun(db, runId, { build, at });
  return copies;
}

interface Copied {
  before: ApprovalRow;
  called: CallRow;
  ids: { id: string; callId: string };
}

function copyOf({ run }: RunSnapshot, { before, called, ids }: Copied): { call: NewCall; approval: NewApproval } {
  const call: NewCall = { ...without(called, LATER_CALL), id: ids.callId, status: "pending_approval" };
  const approval = { ...toNew(before), ...ids, expiresAt: null };
  const shown = { approvalId: ids.id, runId: run.id, starterIds: run.starterIds };
  return { call, approval: { ...approval, questionDigest: digestQuestion({ ...call, ...approval, ...shown }) } };
}

/** Removes questions, as if nobody had answered in time. */
export async function expireQuestions(db: Db, approvalIds: readonly string[]): Promise<void> {
  const [first] = approvalIds;
  const { runId } = await db.approval.findUniqueOrThrow({ where: { id: first ?? "" }, select: { runId: true } });
  const at = new Date();
  const build = ({ snapshot: { approvals } }: { snapshot: RunSnapshot }) => {
    const open = approvalIds.flatMap((id) => approvals.get(id) ?? []).filter(({ status }) => status === "pending");
    const changes = open.map(({ id, callId }): RunChange => ({
      kind: "approval_expired",
      at: at.toISOString(),
      approvalId: id,
      callId,
    }));
    return changes.length === 0 ? null : { changes, queue: { kind: "stay" } as const, done: null };
  };
  await changeRun(db, runId, { build, at });
}

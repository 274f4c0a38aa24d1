/**
 * One answer of a model, its cost, its calls as the policy judged them, and the approvals. It is recorded as a whole or
 * not at all, so it is paid for once. A webhook step records its call in the same way, without a turn.
 */
import { digestOutput } from "@/lib/text/digest";
import type { Change, ChangeKind, EventDraft } from "@/lib/runs/changes/change";
import { callRecord, judgedType, questionRecord } from "@/lib/runs/changes/call-record";
import {
  type KeptCall,
  type KeptQuestion,
  keepCall,
  keepQuestion,
  openCall,
  openQuestion,
} from "@/lib/runs/changes/kept-call";
import { isSame, leaveOut } from "@/lib/runs/changes/leave-out";
import type { FIRST_CALL_STATUSES } from "@/lib/runs/rules/call-state";
import { stepOf } from "@/lib/runs/changes/move";
import type { RowEvent } from "@/lib/runs/changes/row-events";
import { withoutWait } from "@/lib/runs/changes/step-moved";
import { addUsd, budgetWarning, spend } from "@/lib/runs/changes/spend";
import type { ApprovalRow, CallRow, RunSnapshot, TurnRow } from "@/lib/runs/snapshot";

export type NewTurn = Omit<TurnRow, "createdAt">;

export type NewCall = Omit<
  CallRow,
  "status" | "attempt" | "epoch" | "createdAt" | "executingAt" | "settledAt" | "completedAt" | "approval"
> & { status: (typeof FIRST_CALL_STATUSES)[number] };

export type NewApproval = Omit<
  ApprovalRow,
  "status" | "approvals" | "version" | "escalatedAt" | "createdAt" | "decidedAt" | "decisions" | "reason" | "edited"
>;

export interface TurnRecorded extends Change {
  kind: "turn_recorded";
  stepId: string;
  turn: NewTurn | null;
  calls: NewCall[];
  approvals: NewApproval[];
  /** Merged into the step's state. */
  stepState: object;
  /** Set when this turn takes the run over the threshold for its budget warning. */
  warnsOfBudget: boolean;
}

export function recordTurn(snapshot: RunSnapshot, turn: Omit<TurnRecorded, "kind" | "warnsOfBudget">): TurnRecorded {
  const warnsOfBudget = budgetWarning(snapshot.run, turn.turn?.costUsd ?? 0);
  return { ...turn, kind: "turn_recorded", warnsOfBudget };
}

export const turnRecorded: ChangeKind<TurnRecorded> = {
  kind: "turn_recorded",
  events(change) {
    const { turn, calls, approvals, warnsOfBudget } = change;
    const traceOf = (callId: string) => calls.find(({ id }) => id === callId)?.trace;
    return [
      ...(turn ? [turnEvent(turn)] : []),
      ...calls.map(callEvent),
      ...approvals.map((each) => ({ type: "approval.requested", data: questionRecord(each, traceOf(each.callId)) })),
      ...(warnsOfBudget ? [spend.warning] : []),
    ];
  },
  approvals: ({ approvals }) => approvals.map(({ id }) => id),
  apply(snapshot, { turn, calls, approvals, stepId, stepState, at }) {
    const { run } = snapshot;
    const step = stepOf(snapshot, stepId);
    for (const row of [run, step]) {
      row.tokensIn += turn?.tokensIn ?? 0;
      row.tokensOut += turn?.tokensOut ?? 0;
      row.costUsd = addUsd(row.costUsd, turn?.costUsd ?? 0);
      row.llmCalls += turn ? 1 : 0;
      row.toolCalls += calls.length;
    }
    step.state = { ...step.state, ...stepState };
    step.error = withoutWait(step);
    step.startedAt ??= at;
    if (step.status === "pending" || step.status === "running") {
      step.status = approvals.length > 0 ? "pending_approval" : "running";
    }
    if (turn) snapshot.turns.set(stepId, [...(snapshot.turns.get(stepId) ?? []), { ...turn, createdAt: at }]);
    for (const call of calls) addCall(snapshot, call, at);
    for (const approval of approvals) addApproval(snapshot, approval, at);
  },
  keep(change, run, events) {
    const { turn, calls, approvals, ...rest } = change;
    const { stepId } = rest;
    const [turnEvent, ...others] = eventsFromTurn(turn, events);
    const callOf = (id: string) => calls.find((call) => call.id === id);
    const keptCalls = calls.map((call, place) => keepCall(call, { run, stepId, turn, place, event: others[place] }));
    const keptQuestions = approvals.map((each, place) =>
      keepQuestion(each, { call: callOf(each.callId), run, event: others[calls.length + place] }),
    );
    return {
      ...leaveOut<typeof rest>(rest, usualChange()),
      turn: turn && keepTurn(turn, stepId, turnEvent),
      ...(calls.length > 0 && { calls: keptCalls }),
      ...(approvals.length > 0 && { approvals: keptQuestions }),
    };
  },
  open(kept: KeptChange, run, events) {
    const { stepId } = kept;
    const turn = kept.turn && openTurn(kept.turn, stepId, events.take("turn.recorded"));
    const next = () => (turn ? events.next() : null);
    const calls = (kept.calls ?? []).map((call, place) => openCall(call, { run, stepId, turn, place, event: next() }));
    const callOf = (id: string) => calls.find((call) => call.id === id);
    const approvals = (kept.approvals ?? []).map((each) => openQuestion(each, { callOf, run, event: next() }));
    return { ...usualChange(), ...kept, turn, calls, approvals };
  },
};

/**
 * A turn's own event comes first, and those of its calls and approvals follow in their order. Without a turn there is
 * nothing by which the first of them would be found among the events of the row.
 */
const eventsFromTurn = (turn: NewTurn | null, events: readonly RowEvent[]): readonly RowEvent[] => (turn ? events : []);

interface KeptChange extends Pick<TurnRecorded, "kind" | "at" | "stepId"> {
  turn: KeptTurn | null;
  calls?: KeptCall[];
  approvals?: KeptQuestion[];
}

const usualChange = () => ({ stepState: {}, warnsOfBudget: false });

type KeptTurn = Partial<NewTurn> & {
  /** The model answered at the first attempt, which the turn itself describes completely. */
  atOnce?: true;
};

function keepTurn(turn: NewTurn, stepId: string, event: RowEvent | undefined): KeptTurn {
  const kept = leaveOut(turn, knownOfTurn(stepId, event));
  const { usage, attempts, ...response } = (turn.response ?? {}) as Record<string, unknown>;
  return isSame({ usage, attempts }, atOnce(turn)) ? { ...kept, response, atOnce: true } : kept;
}

function openTurn({ atOnce: isAtOnce, ...kept }: KeptTurn, stepId: string, event: RowEvent | null): NewTurn {
  const turn = { ...knownOfTurn(stepId, event), ...kept } as NewTurn;
  return isAtOnce ? { ...turn, response: { ...(turn.response as object), ...atOnce(turn) } } : turn;
}

const knownOfTurn = (stepId: string, event: RowEvent | null | undefined): Partial<NewTurn> => ({
  stepId,
  costUsd: 0,
  ...(event && {
    id: event.data.turn_id as string,
    number: event.data.turn as number,
    model: event.data.model as string,
    tokensIn: event.data.tokens_in as number,
    tokensOut: event.data.tokens_out as number,
  }),
});

const atOnce = ({ model, tokensIn, tokensOut, durationMs }: NewTurn) => ({
  usage: { tokensIn, tokensOut },
  attempts: [{ model, attempt: 1, outcome: "succeeded", message: null, durationMs, waitedMs: 0 }],
});

function addCall(snapshot: RunSnapshot, call: NewCall, at: string): void {
  const isOpen = call.status === "approved" || call.status === "pending_approval";
  snapshot.calls.set(call.id, {
    ...call,
    attempt: 0,
    epoch: null,
    createdAt: at,
    executingAt: call.status === "succeeded" ? at : null,
    settledAt: null,
    completedAt: isOpen ? null : at,
    approval: null,
  });
}

export function addApproval(snapshot: RunSnapshot, approval: NewApproval, at: string): void {
  const row: ApprovalRow = {
    ...approval,
    status: "pending",
    approvals: 0,
    version: 1,
    escalatedAt: null,
    createdAt: at,
    decidedAt: null,
    decisions: [],
    reason: null,
    edited: false,
  };
  snapshot.approvals.set(row.id, row);
  const call = snapshot.calls.get(row.callId);
  if (call) call.approval = row;
}

function turnEvent(turn: NewTurn): EventDraft {
  return {
    type: "turn.recorded",
    data: {
      step_id: turn.stepId,
      turn: turn.number,
      model: turn.model,
      tokens_in: turn.tokensIn,
      tokens_out: turn.tokensOut,
      cost_usd: String(turn.costUsd),
      turn_id: turn.id,
      request: digestOutput(turn.request),
      response: digestOutput(turn.response),
    },
  };
}

function callEvent(call: NewCall): EventDraft {
  const result = call.result === null ? {} : { result: digestOutput(call.result) };
  return { type: judgedType(call.status), data: { ...callRecord(call), ...result } };
}

import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { readRun, unknownTimesOf } from "@/lib/runs/queries/read-run";
import { toMoney } from "@/lib/runs/queries/run-view";
import { rootOf } from "@/lib/runs/rules/run-places";
import type { ApprovalRow, CallRow, RunSnapshot, TurnRow } from "@/lib/runs/snapshot";

/** What happened in a run: the first and last entries of each pipeline step, and how many there are. */
export interface RunTimeline {
  /** In chronological order. */
  entries: TimelineEntryRow[];
  /** By step of the pipeline. */
  totals: Map<string, number>;
}

export type TimelineThing =
  | { kind: "turn"; turn: TimelineTurn }
  | { kind: "call"; call: TimelineCall }
  | { kind: "wait"; wait: TimelineWait };

export interface TimelineEntryRow {
  thing: TimelineThing;
  /** The pipeline step to which it belongs, however deep below it. */
  rootStepId: string;
  /** Number among all entries of that step, from 1. */
  number: number;
  at: Date;
}

export interface TimelineTurn {
  id: string;
  number: number;
  model: string;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  durationMs: number;
  endedAt: Date;
}

export interface TimelineCall {
  id: string;
  server: string;
  tool: string;
  summary: string;
  status: CallStatus;
  createdAt: Date;
  executingAt: Date | null;
  /** Since when the outcome was unknown, until a person settled it. */
  unknownAt: Date | null;
  completedAt: Date | null;
}

/** A period in which a person was asked. */
export interface TimelineWait {
  id: string;
  server: string;
  tool: string;
  summary: string;
  status: ApprovalStatus;
  minApprovals: number;
  approvals: number;
  decidedBy: { name: string; verdict: "approved" | "rejected"; reason: string | null }[];
  from: Date;
  to: Date | null;
}

/**
 * For a step with more than both together, this many of the first and of the last are shown: how it began, and its
 * current state.
 */
const FIRST_SHOWN = 8;
const LAST_SHOWN = 16;

export async function getRunTimeline(db: Db, runId: string): Promise<RunTimeline> {
  const read = await readRun(db, runId);
  if (!read) return { entries: [], totals: new Map() };
  const unknown = unknownTimesOf(read);
  const byRoot = Map.groupBy(listMarks(read.snapshot), ({ root }) => root);
  const entries = [...byRoot.values()].flatMap((marks) => {
    const sorted = marks.toSorted(inOrder);
    return sorted.flatMap((mark, index) => {
      const isShown = index < FIRST_SHOWN || index >= sorted.length - LAST_SHOWN;
      if (!isShown) return [];
      return [{ thing: toThing(mark, unknown), rootStepId: mark.root, number: index + 1, at: new Date(mark.at) }];
    });
  });
  return { entries, totals: new Map([...byRoot].map(([root, marks]) => [root, marks.length])) };
}

/** An entry of the timeline, and its position. */
type Mark = { root: string; at: string; id: string } & (
  | { place: 0; turn: TurnRow }
  | { place: 1; wait: ApprovalRow }
  | { place: 2; call: CallRow }
);

const inOrder = (one: Mark, other: Mark): number =>
  compare(one.at, other.at) || one.place - other.place || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** A pending call is the block that waits for people; a decided one is placed where it was sent. */
function listMarks(snapshot: RunSnapshot): Mark[] {
  const roots = new Map([...snapshot.steps.keys()].map((id) => [id, rootOf(snapshot, id)?.id ?? id]));
  const at = (stepId: string, id: string, time: string) => ({ root: roots.get(stepId) ?? stepId, id, at: time });
  const calls = [...snapshot.calls.values()].filter(({ status }) => status !== "pending_approval");
  return [
    ...[...snapshot.turns.values()]
      .flat()
      .map((turn) => ({ ...at(turn.stepId, turn.id, turn.createdAt), place: 0 as const, turn })),
    ...[...snapshot.approvals.values()].map((wait) => ({
      ...at(wait.stepId, wait.id, wait.createdAt),
      place: 1 as const,
      wait,
    })),
    ...calls.map((call) => {
      const time = call.executingAt ?? call.completedAt ?? call.createdAt;
      return { ...at(call.stepId, call.id, time), place: 2 as const, call };
    }),
  ];
}

function toThing(mark: Mark, unknown: ReadonlyMap<string, Date>): TimelineThing {
  switch (mark.place) {
    case 0:
      return { kind: "turn", turn: toTurn(mark.turn) };
    case 1:
      return { kind: "wait", wait: toWait(mark.wait) };
    case 2:
      return { kind: "call", call: toCall(mark.call, unknown.get(mark.id) ?? null) };
  }
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

function toTurn({ id, number, model, tokensIn, tokensOut, costUsd, durationMs, createdAt }: TurnRow): TimelineTurn {
  return {
    id,
    number,
    model,
    tokensIn,
    tokensOut,
    costUsd: toMoney(costUsd),
    durationMs,
    endedAt: new Date(createdAt),
  };
}

function toCall(call: CallRow, unknownAt: Date | null): TimelineCall {
  const { id, server, tool, summary, status, createdAt, executingAt, completedAt } = call;
  return {
    id,
    server,
    tool,
    summary: showInvisible(summary),
    status,
    unknownAt,
    createdAt: new Date(createdAt),
    executingAt: toDate(executingAt),
    completedAt: toDate(completedAt),
  };
}

function toWait(approval: ApprovalRow): TimelineWait {
  const { id, server, tool, summary, status, minApprovals, approvals, decisions, createdAt, decidedAt } = approval;
  return {
    id,
    server,
    tool,
    status,
    minApprovals,
    approvals,
    summary: showInvisible(summary),
    decidedBy: decisions.map(({ verdict, reason, userName }) => ({
      name: userName,
      verdict,
      reason: reason === null ? null : showInvisible(reason),
    })),
    from: new Date(createdAt),
    to: toDate(decidedAt),
  };
}

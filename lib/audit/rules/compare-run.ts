/** The copies of a run besides its journal: its row, its approvals, and the projections. Pure. */
import { compareColumns, compareRows, found, type Kind, type RowProblem } from "@/lib/audit/rules/compare-rows";
import { type Entry, eventsOfBody } from "@/lib/runs/journal/entry";
import type { RunSnapshot } from "@/lib/runs/snapshot";

interface Stored {
  id: string;
}

/** Read at one moment, so that concurrent changes are not seen half done. */
export interface RunCopies {
  /** Null when the run has no row. */
  run: (Stored & { seq: number; head: Uint8Array; createdAt: Date }) | null;
  approvals: Stored[];
  /** Up to which row the journal is projected. */
  projected: number;
  steps: Stored[];
  turns: Stored[];
  calls: Stored[];
  decisions: Stored[];
  events: StoredEvent[];
}

export type StoredEvent = Stored & { seq: number };

const RUN_COLUMNS = [
  "workflow",
  "version",
  "configHash",
  "agents",
  "status",
  "error",
  "startedByKind",
  "startedById",
  "startedByName",
  "startedByUserId",
  "retryOfRunId",
  "sessionId",
  "params",
  "output",
  "activeMs",
  "commitsLostAt",
  "tokensIn",
  "tokensOut",
  "costUsd",
  "costBudgetUsd",
  "llmCalls",
  "toolCalls",
  "createdAt",
  "completedAt",
];

const APPROVALS: Kind = {
  columns: [
    "callId",
    "stepId",
    "status",
    "workflow",
    "agent",
    "server",
    "tool",
    "danger",
    "summary",
    "digest",
    "questionDigest",
    "rule",
    "approvers",
    "minApprovals",
    "approvals",
    "selfApproval",
    "editable",
    "onReject",
    "timeoutBehavior",
    "escalateTo",
    "version",
    "expiresAt",
    "escalateAt",
    "escalatedAt",
    "createdAt",
    "decidedAt",
    "deciders",
  ],
  untold: "no event tells of this question: the row was written by hand",
  gone: "the row of this question is gone",
};

const STEPS: Kind = {
  columns: [
    "key",
    "type",
    "status",
    "parentId",
    "itemIndex",
    "agent",
    "input",
    "output",
    "rawOutput",
    "error",
    "degraded",
    "state",
    "tokensIn",
    "tokensOut",
    "costUsd",
    "llmCalls",
    "toolCalls",
    "startedAt",
    "completedAt",
  ],
  untold: "no event tells of this step: the row was written by hand",
  gone: "the row of this step is gone",
};

const TURNS: Kind = {
  columns: [
    "stepId",
    "number",
    "model",
    "request",
    "response",
    "tokensIn",
    "tokensOut",
    "costUsd",
    "durationMs",
    "createdAt",
  ],
  untold: "no event tells of this turn",
  gone: "the row of this turn is gone",
};

const CALLS: Kind = {
  columns: [
    "stepId",
    "turnId",
    "parentCallId",
    "modelCallId",
    "agent",
    "server",
    "tool",
    "status",
    "danger",
    "arguments",
    "argumentsCanonical",
    "digest",
    "definitionFingerprint",
    "policyHash",
    "trace",
    "agentSays",
    "summary",
    "retrySafe",
    "costUsd",
    "result",
    "error",
    "attempt",
    "epoch",
    "createdAt",
    "executingAt",
    "settledAt",
    "completedAt",
  ],
  untold: "no event tells of this call: the row was written by hand",
  gone: "the row of this call is gone",
};

const DECISIONS: Kind = {
  columns: [
    "approvalId",
    "userId",
    "tokenId",
    "verdict",
    "comment",
    "reason",
    "digest",
    "argumentsCanonical",
    "address",
    "createdAt",
  ],
  untold: "no event tells of this decision: the row was changed or written by hand",
  gone: "the row of this decision is gone",
};

const EVENTS: Kind = {
  columns: ["chainId", "seq", "place", "type", "at", "actorKind", "actorId", "actorName", "data"],
  untold: "the journal has no such event: the row was written by hand",
  gone: "the row of this event is gone",
};

/**
 * The rows by which runs and approvals are listed, guarded and claimed; they change together with the journal, so they
 * are never behind.
 */
export function compareGuarded({ run, approvals }: RunSnapshot, copies: RunCopies): RowProblem[] {
  const { kind: startedByKind, id: startedById, name: startedByName } = run.startedBy;
  const row = { ...run, startedByKind, startedById, startedByName };
  const questions = [...approvals.values()].map((each) => ({
    ...each,
    deciders: each.decisions.map(({ userId }) => userId),
  }));
  return [
    ...found("run", copies.run ? compareColumns(copies.run, row, RUN_COLUMNS) : []),
    ...compareRows(APPROVALS, byId(questions), copies.approvals),
  ];
}

/** The projections, compared with the run as it was at the row up to which it is projected. */
export function compareProjected({ steps, turns, calls, approvals }: RunSnapshot, copies: RunCopies): RowProblem[] {
  const decisions = [...approvals.values()].flatMap((approval) =>
    approval.decisions.map(({ token, at, ...decision }) => ({
      ...decision,
      approvalId: approval.id,
      tokenId: token?.id ?? null,
      createdAt: at,
    })),
  );
  return [
    ...compareRows(STEPS, steps, copies.steps),
    ...compareRows(TURNS, byId([...turns.values()].flat()), copies.turns),
    ...compareRows(CALLS, calls, copies.calls),
    ...compareRows(DECISIONS, byId(decisions), copies.decisions),
  ];
}

/** Compares journal rows with what lists show of their events. */
export function compareEvents(entries: readonly Entry[], stored: readonly StoredEvent[]): RowProblem[] {
  const events = entries.flatMap(({ chain, seq, body }) =>
    eventsOfBody(body).map(({ actor, ...event }, place) => ({
      ...event,
      chainId: chain,
      seq,
      place,
      actorKind: actor.kind,
      actorId: actor.id,
      actorName: actor.name,
    })),
  );
  return compareRows(EVENTS, byId(events), stored);
}

const byId = <T extends Stored>(rows: readonly T[]): Map<string, T> => new Map(rows.map((row) => [row.id, row]));

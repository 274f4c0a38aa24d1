import type { StepStatus } from "@/lib/runs/rules/step-state";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { listChanges } from "@/lib/approvals/queries/list-changes";
import { readRun, unknownTimesOf } from "@/lib/runs/queries/read-run";
import { toMoney } from "@/lib/runs/queries/run-view";
import { type ShownCall, toShownCall } from "@/lib/runs/queries/shown-call";
import { callsInOrder, stepsInOrder } from "@/lib/runs/rules/run-places";
import type { CallRow, RunSnapshot, StepRow, TurnRow } from "@/lib/runs/snapshot";
import { shown } from "@/lib/text/shown";

export interface StepPage {
  id: string;
  runId: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  agent: string | null;
  itemIndex: number | null;
  degraded: boolean;
  error: { code: string; message: string } | null;
  input: unknown;
  output: unknown;
  rawOutput: unknown;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  startedAt: Date | null;
  completedAt: Date | null;
  /** From the pipeline's own step down to the parent of this one. */
  ancestors: { id: string; key: string; itemIndex: number | null }[];
  children: { items: ChildStep[]; nextCursor: string | null };
  turns: ShownTurn[];
  nextTurn: number | null;
  /** Calls that no model made: those of a webhook step. */
  ownCalls: ShownCall[];
}

export interface ChildStep {
  id: string;
  key: string;
  itemIndex: number | null;
  status: StepStatus;
  agent: string | null;
  error: string | null;
  costUsd: number;
}

export interface ShownTurn {
  id: string;
  number: number;
  model: string;
  /** Messages to the model before this turn. */
  asked: string[];
  text: string;
  finishReason: string;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  durationMs: number;
  at: Date;
  calls: ShownCall[];
}

const TURNS_SHOWN = 20;
const CHILDREN_SHOWN = 50;
const OWN_CALLS_SHOWN = 20;

interface StepQuery {
  runId: string;
  stepId: string;
  fromTurn?: number;
  childCursor?: string;
  fingerprint: (value: string) => string;
}

/** One step with a page of its conversation and a page of its child steps. Null when the run has no such step. */
export async function findStepPage(db: Db, query: StepQuery): Promise<StepPage | null> {
  const read = await readRun(db, query.runId);
  const step = read?.snapshot.steps.get(query.stepId);
  if (!read || !step) return null;
  const { snapshot } = read;
  const { fromTurn = 1 } = query;
  const turns = (snapshot.turns.get(step.id) ?? []).filter(({ number }) => number >= fromTurn);
  const page = turns.slice(0, TURNS_SHOWN);
  const calls = callsInOrder(snapshot).filter(({ stepId }) => stepId === step.id);
  const edited = calls.filter(isEdited).flatMap((call) => {
    const turn = page.find(({ id }) => id === call.turnId);
    if (turn) return [{ ...call, response: turn.response }];
    return call.turnId === null ? [call] : [];
  });
  const changes = await listChanges(db, edited, query.fingerprint);
  const unknown = unknownTimesOf(read);
  const show = (call: CallRow) => toShownCall(call, changes.get(call.id) ?? [], unknown.get(call.id));
  const own = calls.filter(({ turnId }) => turnId === null).slice(0, OWN_CALLS_SHOWN);
  const ofTurn = Map.groupBy(calls, ({ turnId }) => turnId);
  return {
    ...headOf(query.runId, step),
    ancestors: listAncestors(snapshot, step),
    children: listChildren(snapshot, step, query.childCursor),
    turns: page.map((turn) => toTurn(turn, (ofTurn.get(turn.id) ?? []).map(show))),
    nextTurn: turns[TURNS_SHOWN]?.number ?? null,
    ownCalls: own.map(show),
  };
}

const isEdited = ({ approval }: CallRow): boolean =>
  approval?.decisions.some(({ argumentsCanonical }) => argumentsCanonical !== null) ?? false;

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

function headOf(runId: string, step: StepRow) {
  const { id, key, type, status, agent, itemIndex, degraded, error, input, output, rawOutput } = step;
  const { tokensIn, tokensOut, costUsd, startedAt, completedAt } = step;
  return {
    id,
    runId,
    key,
    type,
    status,
    agent,
    itemIndex,
    degraded,
    tokensIn,
    tokensOut,
    costUsd: toMoney(costUsd),
    error: shown(error),
    input: shown(input),
    output: shown(output),
    rawOutput: shown(rawOutput),
    startedAt: toDate(startedAt),
    completedAt: toDate(completedAt),
  };
}

function listAncestors({ steps }: RunSnapshot, { parentId }: StepRow): StepPage["ancestors"] {
  const ancestors: StepPage["ancestors"] = [];
  for (let step = steps.get(parentId ?? ""); step; step = steps.get(step.parentId ?? "")) {
    const { id, key, itemIndex } = step;
    ancestors.unshift({ id, key, itemIndex });
  }
  return ancestors;
}

function listChildren(snapshot: RunSnapshot, { id: parentId }: StepRow, cursor = ""): StepPage["children"] {
  const children = stepsInOrder(snapshot).filter((step) => step.parentId === parentId && step.id > cursor);
  const items = children.slice(0, CHILDREN_SHOWN).map(({ id, key, itemIndex, status, agent, error, costUsd }) => ({
    id,
    key,
    itemIndex,
    status,
    agent,
    error: shown(error?.message ?? null),
    costUsd: toMoney(costUsd),
  }));
  return { items, nextCursor: children.length > CHILDREN_SHOWN ? (items.at(-1)?.id ?? null) : null };
}

function toTurn(turn: TurnRow, calls: ShownCall[]): ShownTurn {
  const { id, number, model, tokensIn, tokensOut, costUsd, durationMs, createdAt } = turn;
  const { messages = [] } = (turn.request ?? {}) as { messages?: { role: string; text?: string }[] };
  // The calls are shown from their own rows, where secrets have been removed from their arguments.
  const { text = "", finishReason = "other" } = (turn.response ?? {}) as { text?: string; finishReason?: string };
  return {
    id,
    number,
    model,
    tokensIn,
    tokensOut,
    costUsd: toMoney(costUsd),
    durationMs,
    finishReason,
    calls,
    asked: messages.filter(({ role }) => role === "user").map((message) => showInvisible(message.text ?? "")),
    text: showInvisible(text),
    at: new Date(createdAt),
  };
}

import type { CallStatus } from "@/lib/domain/call-state";
import type { StepStatus } from "@/lib/domain/step-state";
import type { TraceEntry } from "@/lib/domain/policy/policy-answer";
import type { ToolResult } from "@/lib/domain/tool-result";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { type ChangedArgument, listChanges } from "@/lib/store/queries/list-changes";
import { listUnknownSince } from "@/lib/store/queries/list-unknown-since";
import { shown } from "@/lib/store/queries/shown";

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
  /** From the pipeline's own step down to the one above this. */
  ancestors: { id: string; key: string; itemIndex: number | null }[];
  children: { items: ChildStep[]; nextCursor: string | null };
  turns: ShownTurn[];
  nextTurn: number | null;
  /** Calls that no model asked for: those of a webhook step. */
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
  /** What was said to the model before this turn. */
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

export interface ShownCall {
  id: string;
  server: string;
  tool: string;
  status: CallStatus;
  danger: string;
  summary: string;
  arguments: unknown;
  /** What a person changed of what the agent proposed. */
  changes: ChangedArgument[];
  result: { output: string; structured: unknown; isError: boolean } | null;
  error: { code: string; message: string } | null;
  digest: string;
  /** The layers that did more than let it pass, with file and line. */
  reasons: { layer: string; outcome: string; reason: string; source: string | null }[];
  approvalId: string | null;
  decidedBy: { name: string; verdict: "approved" | "rejected"; at: Date; reason: string | null; comment: string | null; edited: boolean }[];
  durationMs: number | null;
  /** How long nobody knew what became of it; null when that was always known. */
  unsettledMs: number | null;
  costUsd: number;
}

const TURNS_SHOWN = 20;
const CHILDREN_SHOWN = 50;
const OWN_CALLS_SHOWN = 20;
const CALLS_OF_A_TURN_MAX = 64;

const callInclude = {
  approvals: { orderBy: { id: "desc" }, take: 1, include: { decisions: { orderBy: { id: "asc" }, include: { user: { select: { name: true } } } } } },
} satisfies Prisma.CallInclude;
type CallWithApproval = Prisma.CallGetPayload<{ include: typeof callInclude }>;

interface StepQuery {
  runId: string;
  stepId: string;
  fromTurn?: number;
  childCursor?: string;
  fingerprint: (value: string) => string;
}

/** One step with a page of its conversation and a page of what stands below it. Null when the run has no such step. */
export async function findStepPage(db: Db, query: StepQuery): Promise<StepPage | null> {
  const step = await db.step.findFirst({ where: { id: query.stepId, runId: query.runId } });
  if (!step) return null;
  const [turns, children, own, ancestors] = await Promise.all([
    db.turn.findMany({ where: { stepId: step.id, number: { gte: query.fromTurn ?? 1 } }, orderBy: { number: "asc" }, take: TURNS_SHOWN + 1 }),
    db.step.findMany({ where: { parentId: step.id, id: query.childCursor ? { gt: query.childCursor } : undefined }, orderBy: { id: "asc" }, take: CHILDREN_SHOWN + 1, omit: { input: true, output: true, rawOutput: true, state: true } }),
    db.call.findMany({ where: { stepId: step.id, turnId: null }, orderBy: { id: "asc" }, take: OWN_CALLS_SHOWN, include: callInclude }),
    listAncestors(db, step.parentId),
  ]);
  const shownTurns = turns.slice(0, TURNS_SHOWN);
  const calls = await db.call.findMany({ where: { stepId: step.id, turnId: { in: shownTurns.map(({ id }) => id) } }, orderBy: { id: "asc" }, take: TURNS_SHOWN * CALLS_OF_A_TURN_MAX, include: callInclude });
  const [changes, unknown] = await Promise.all([listChanges(db, calls.filter(isEdited), query.fingerprint), listUnknownSince(db, query.runId, [...calls, ...own])]);
  const { state: _state, ...facts } = step;
  return {
    ...facts,
    error: shown(step.error as StepPage["error"]),
    input: shown(step.input),
    output: shown(step.output),
    rawOutput: shown(step.rawOutput),
    costUsd: Number(step.costUsd),
    ancestors,
    children: {
      items: children.slice(0, CHILDREN_SHOWN).map((child) => ({ ...child, error: shown((child.error as { message?: string } | null)?.message ?? null), costUsd: Number(child.costUsd) })),
      nextCursor: children.length > CHILDREN_SHOWN ? (children[CHILDREN_SHOWN - 1]?.id ?? null) : null,
    },
    turns: shownTurns.map((turn) => toTurn(turn, calls.filter(({ turnId }) => turnId === turn.id), changes, unknown)),
    nextTurn: turns[TURNS_SHOWN]?.number ?? null,
    ownCalls: own.map((call) => toCall(call, [], unknown.get(call.id))),
  };
}

const isEdited = ({ approvals }: CallWithApproval): boolean => approvals.some(({ decisions }) => decisions.some(({ argumentsCanonical }) => argumentsCanonical !== null));

async function listAncestors(db: Db, parentId: string | null): Promise<StepPage["ancestors"]> {
  if (parentId === null) return [];
  return db.$queryRaw<StepPage["ancestors"]>`
    WITH RECURSIVE up AS (
      SELECT id, key, item_index, parent_id, 0 AS height FROM steps WHERE id = ${parentId}
      UNION ALL
      SELECT s.id, s.key, s.item_index, s.parent_id, up.height + 1 FROM up JOIN steps s ON s.id = up.parent_id
    )
    SELECT id, key, item_index AS "itemIndex" FROM up ORDER BY height DESC`;
}

function toTurn(turn: Prisma.TurnGetPayload<object>, calls: CallWithApproval[], changes: ReadonlyMap<string, ChangedArgument[]>, unknown: ReadonlyMap<string, Date>): ShownTurn {
  const { messages = [] } = turn.request as { messages?: { role: string; text?: string }[] };
  // The calls are shown from their own rows, where secrets have been taken out of their arguments.
  const { text = "", finishReason = "other" } = turn.response as { text?: string; finishReason?: string };
  return {
    id: turn.id,
    number: turn.number,
    model: turn.model,
    asked: messages.filter(({ role }) => role === "user").map((message) => showInvisible(message.text ?? "")),
    text: showInvisible(text),
    finishReason,
    tokensIn: turn.tokensIn,
    tokensOut: turn.tokensOut,
    costUsd: Number(turn.costUsd),
    durationMs: turn.durationMs,
    at: turn.createdAt,
    calls: calls.map((call) => toCall(call, changes.get(call.id) ?? [], unknown.get(call.id))),
  };
}

function toCall(call: CallWithApproval, changes: ChangedArgument[], unknownAt: Date | undefined): ShownCall {
  const [approval] = call.approvals;
  const result = call.result as Partial<ToolResult> | null;
  const trace = (Array.isArray(call.trace) ? call.trace : []) as unknown as TraceEntry[];
  return {
    id: call.id,
    server: call.server,
    tool: call.tool,
    status: call.status,
    danger: call.danger,
    summary: showInvisible(call.summary),
    arguments: shown<unknown>(call.arguments),
    changes,
    result: result && { output: showInvisible(result.output ?? ""), structured: shown(result.structured_content ?? null), isError: result.is_error === true },
    error: shown(call.error as ShownCall["error"]),
    digest: call.digest,
    reasons: trace.filter(({ outcome }) => outcome !== "pass").map(({ layer, outcome, reason, source }) => ({ layer, outcome, reason: showInvisible(reason), source: source ? `${source.file}:${source.line}` : null })),
    approvalId: approval?.id ?? null,
    decidedBy: (approval?.decisions ?? []).map(({ user, verdict, reason, comment, argumentsCanonical, createdAt }) => ({ name: user.name, verdict, at: createdAt, reason: shown(reason), comment: shown(comment), edited: argumentsCanonical !== null })),
    durationMs: msBetween(call.executingAt, unknownAt ?? call.completedAt),
    unsettledMs: unknownAt ? msBetween(unknownAt, call.completedAt) : null,
    costUsd: Number(call.costUsd),
  };
}

const msBetween = (from: Date | null, to: Date | null): number | null => (from && to ? to.getTime() - from.getTime() : null);

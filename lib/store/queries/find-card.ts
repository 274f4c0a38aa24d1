import { formatSourceLocation } from "@/lib/config/source-location";
import { type FailureReach, RETRIES_AFTER_REJECTION } from "@/lib/domain/after-rejection";
import { assessDanger, type DangerLevel, type StatedFacts } from "@/lib/domain/danger";
import { refusalToDecide } from "@/lib/domain/eligibility";
import type { ApprovalRule, StricterRule } from "@/lib/domain/policy/approval-rule";
import type { TraceEntry } from "@/lib/domain/policy/policy-answer";
import { liesAside } from "@/lib/domain/set-aside";
import type { ToolDefinition } from "@/lib/domain/tool-fingerprint";
import type { ToolResult } from "@/lib/domain/tool-result";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { compareArguments } from "@/lib/store/queries/compare-arguments";
import { chooseConfirmWord } from "@/lib/store/queries/confirm-word";
import { foldArguments } from "@/lib/store/queries/fold-arguments";
import type { InboxReader } from "@/lib/store/queries/inbox-reader";
import { findSameCalls } from "@/lib/store/queries/find-same-calls";
import { listApprovedCalls } from "@/lib/store/queries/list-approved-calls";
import { listChanges } from "@/lib/store/queries/list-changes";
import { listDeciders } from "@/lib/store/queries/list-deciders";
import { getRunSoFar } from "@/lib/store/queries/run-so-far";
import { findSameValues } from "@/lib/store/queries/same-values";
import { seenBefore } from "@/lib/store/queries/seen-before";
import { listInvisible, showArguments } from "@/lib/store/queries/show-arguments";
import { describeStarter, findStarters } from "@/lib/store/queries/starter-people";
import { nameSteps } from "@/lib/store/queries/step-names";
import { readStarters } from "@/lib/store/starters-sql";

const cardInclude = {
  call: { include: { step: { select: { key: true } } } },
  run: { select: { id: true, startedByUserId: true, startedByKind: true, startedByName: true, retryOfRunId: true } },
  decisions: { include: { user: { select: { id: true, name: true } }, token: { select: { name: true } } }, orderBy: { id: "asc" } },
  setAsides: { include: { user: { select: { name: true } } }, orderBy: { createdAt: "asc" } },
} satisfies Prisma.ApprovalInclude;
type Row = Prisma.ApprovalGetPayload<{ include: typeof cardInclude }>;

export type ApprovalCard = NonNullable<Awaited<ReturnType<typeof findCard>>>;

/** What the project says of a call, beside what is on record. */
export interface CardContext {
  /** Set where the project's rule became stricter while the call waits. */
  stricter: StricterRule | null;
  /** What a rejection that fails the agent ends. */
  reach: FailureReach;
  /** What the server's file says of the tool. */
  stated: StatedFacts;
  /** By which hidden values are told apart; without it nothing is told of what people changed. */
  fingerprint: ((value: string) => string) | null;
}

const NO_CONTEXT: CardContext = { stricter: null, reach: { ends: "run" }, stated: {}, fingerprint: null };

/**
 * Everything that a reviewer needs to decide one call, as it is on record, held to a stricter rule where there is one now; texts of strangers
 * have nothing hidden in them.
 */
export async function findCard(db: Db, approvalId: string, reader: InboxReader, now: Date, { stricter, reach, stated, fingerprint }: CardContext = NO_CONTEXT) {
  const stored = await db.approval.findUnique({ where: { id: approvalId }, include: cardInclude });
  if (!stored) return null;
  const { call, run } = stored;
  const row = stricter === null || stored.status !== "pending" ? stored : { ...stored, ...held(stricter) };
  const startersOf = await readStarters(db, [run]);
  const deciding = { approvers: row.approvers, selfApproval: row.selfApproval, starterIds: startersOf(run.id) };
  const [definition, earlier, sameAs, same, seen, soFar, deciders, nameOf, refusedBefore, personBehind, cancelledBy, changes] = await Promise.all([
    call.definitionFingerprint ? findDefinitionOf(db, row.tool, call.definitionFingerprint) : null,
    listApprovedCalls(db, row),
    findSameValues(db, call),
    findSameCalls(db, row),
    seenBefore(db, row, now),
    getRunSoFar(db, row.runId),
    listDeciders(db, deciding, row.decisions.map((decision) => decision.userId)),
    nameSteps(db, [call]),
    db.call.count({ where: { stepId: row.stepId, server: row.server, tool: row.tool, id: { not: row.callId }, status: { in: ["rejected", "expired"] } } }),
    findStarters(db, [run]),
    row.status === "cancelled" ? findCanceller(db, row.runId) : null,
    fingerprint && row.decisions.some(isEdited) ? listChanges(db, [call], fingerprint) : null,
  ]);
  // The database keeps no order of keys, but it keeps that of lists: what the tool requires comes first, as its author wrote it.
  const required = definition?.inputSchema.required;
  const names = Array.isArray(required) ? required.map(String) : [];
  const shown = showArguments(call.arguments, names);
  const compared = compareArguments(shown, earlier.map((other) => showArguments(other.arguments, names)), sameAs);
  return {
    ...facts(row),
    startedBy: describeStarter(run, personBehind(run)),
    cancelledBy,
    stepKey: nameOf(call),
    destructive: assessDanger(definition?.annotations, stated).destructive,
    arguments: foldArguments(compared.arguments),
    gone: compared.gone,
    changes: changes?.get(call.id) ?? [],
    comparedWith: earlier[0] ? { by: earlier[0].by, at: earlier[0].at } : null,
    copyText: escapeInvisible(call.arguments),
    triesLeft: Math.max(RETRIES_AFTER_REJECTION - refusedBefore, 0),
    confirmWord: row.danger === "critical" ? chooseConfirmWord(row.tool, shown) : null,
    same,
    seen,
    run: soFar,
    refusal: refusalToDecide(reader, deciding),
    decidedByReader: row.decisions.some((decision) => decision.userId === reader.userId),
    deciders,
    reach,
    stricter: row === stored ? null : { refusal: stricter?.refusal ?? null, was: { approvers: stored.approvers, minApprovals: stored.minApprovals } },
    setAsides: row.setAsides.map((aside) => toSetAside(aside, row.version, reader, now)).filter((aside) => aside.isHeld || aside.note !== null),
    edit: row.editable && row.approvals === 0 ? { schema: definition?.inputSchema ?? null, arguments: call.arguments, invisible: listInvisible(call.arguments, Object.keys(definition?.inputSchema.properties ?? {})) } : null,
    now: now.toISOString(),
  };
}

const isEdited = ({ argumentsCanonical }: Row["decisions"][number]): boolean => argumentsCanonical !== null;

const held = ({ approvers, rule }: StricterRule) => ({ approvers, minApprovals: rule.minApprovals, selfApproval: rule.selfApproval, editable: rule.edit });

/** By fingerprint alone: an agent may call a server by another name than the one its tools are kept under, and the fingerprint covers all of it. */
async function findDefinitionOf(db: Db, tool: string, fingerprint: string): Promise<ToolDefinition | null> {
  const row = await db.toolDefinition.findFirst({ where: { tool, fingerprint }, select: { definition: true } });
  return row && (row.definition as unknown as ToolDefinition);
}

/** Null where the run ended by itself. */
async function findCanceller(db: Db, runId: string): Promise<string | null> {
  const event = await db.event.findFirst({ where: { chainId: runId, type: "run.cancelled" }, orderBy: { seq: "desc" }, select: { actorName: true } });
  return event?.actorName ?? null;
}

function facts(row: Row) {
  const { call } = row;
  const rule = row.rule as unknown as ApprovalRule;
  const { id, callId, runId, status, version, digest, server, tool, workflow, agent, approvals, minApprovals, onReject, timeoutBehavior, approvers, editable } = row;
  return {
    id, callId, runId, status, version, digest, server, tool, workflow, agent, approvals, minApprovals, onReject, timeoutBehavior, approvers, editable,
    danger: row.danger as DangerLevel,
    summary: showInvisible(row.summary || call.summary || tool),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    escalated: row.escalatedAt ? { at: row.escalatedAt.toISOString(), to: row.escalateTo } : null,
    ruleReason: rule.reason,
    rejectReasons: rule.rejectReasons,
    why: (call.trace as unknown as TraceEntry[]).map((entry) => ({
      layer: entry.layer,
      outcome: entry.outcome,
      reason: showInvisible(entry.reason),
      source: entry.source ? formatSourceLocation(entry.source) : null,
    })),
    agentSays: call.agentSays === null ? null : showInvisible(call.agentSays),
    decisions: row.decisions.map((decision) => ({
      id: decision.id,
      by: decision.user.name,
      token: decision.token?.name ?? null,
      verdict: decision.verdict,
      reason: decision.reason,
      comment: decision.comment,
      edited: isEdited(decision),
      at: decision.createdAt.toISOString(),
    })),
    call: { status: call.status, executingAt: call.executingAt?.toISOString() ?? null, completedAt: call.completedAt?.toISOString() ?? null, ...outcome(call) },
  };
}

function toSetAside({ userId, user, note, until, version, createdAt }: Row["setAsides"][number], current: number, reader: InboxReader, now: Date) {
  const isHeld = liesAside({ until, version }, current, now);
  return { userId, by: user.name, isReader: userId === reader.userId, note, at: createdAt.toISOString(), until: until?.toISOString() ?? null, isHeld };
}

function outcome(call: Row["call"]): { output: string | null; isError: boolean; problem: string | null } {
  const result = call.result as unknown as Partial<ToolResult> | null;
  const error = call.error as unknown as { message?: string } | null;
  const problem = error?.message ?? (result?.is_error ? result.error : null) ?? null;
  return { output: typeof result?.output === "string" ? showInvisible(result.output) : null, isError: result?.is_error === true, problem: problem === null ? null : showInvisible(problem) };
}

/** The redacted arguments as JSON that survives a clipboard: what cannot be seen is written as an escape. */
function escapeInvisible(args: unknown): string {
  return JSON.stringify(args, null, 2).replace(/[^\n\x20-\x7E]/gu, (character) =>
    showInvisible(character) === character ? character : Array.from({ length: character.length }, (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, "0")}`).join(""),
  );
}

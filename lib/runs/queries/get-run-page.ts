import { digestOutput } from "@/lib/text/digest";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { findClients, type RunClient } from "@/lib/proxy/queries/find-client";
import { type PersonAct, readPersonActs } from "@/lib/runs/queries/list-person-acts";
import { readRun } from "@/lib/runs/queries/read-run";
import { toMoney } from "@/lib/runs/queries/run-view";
import { reviewStepsOf } from "@/lib/runs/queries/list-review-steps";
import { type UnsettledCall, unsettledCallsOf } from "@/lib/runs/queries/list-unsettled-calls";
import { shown } from "@/lib/text/shown";
import { findStarters } from "@/lib/runs/queries/starter-people";
import { sumPersonWaits } from "@/lib/runs/queries/sum-person-waits";
import { stepsInOrder } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface RunPage {
  id: string;
  workflow: string;
  version: string;
  configHash: string;
  status: RunStatus;
  /** Whether a step of it, at any depth, concluded without what it asked for. */
  degraded: boolean;
  error: { code: string; message: string; step?: string } | null;
  /** With the person behind a token or an agent. */
  startedBy: { kind: string; id: string; name: string; person: string | null };
  /** The MCP client that made it. */
  client: RunClient | null;
  retryOfRunId: string | null;
  retriedAsRunId: string | null;
  /** Redacted, with invisible characters written out. */
  params: unknown;
  output: unknown;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  costBudgetUsd: number | null;
  llmCalls: number;
  toolCalls: number;
  workedMs: number;
  waitedMs: number;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
  /** Those of the pipeline itself; steps below them are only counted. */
  steps: RunPageStep[];
  counts: { approvals: number; pendingApprovals: number; events: number };
  /** Calls with unknown outcome. */
  unknownCalls: {
    id: string;
    server: string;
    tool: string;
    summary: string;
    stepId: string;
    reason: string | null;
    isWebhook: boolean;
  }[];
  /** What people did to it themselves, newest first. */
  acts: PersonAct[];
  /** The first answer that a person must review; the next one follows it. */
  review: { stepId: string; name: string; message: string; output: unknown; digest: string; others: number } | null;
}

export interface RunPageStep {
  id: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  agent: string | null;
  degraded: boolean;
  error: { code: string; message: string } | null;
  costUsd: number;
  llmCalls: number;
  toolCalls: number;
  startedAt: Date | null;
  completedAt: Date | null;
  /** Items of its fan-out, or steps of its sub-workflow. */
  children: { total: number; ended: number };
}

const UNKNOWN_SHOWN_MAX = 20;

/** The head of a run's page; its size does not grow with what the run did. Null when there is no such run. */
export async function findRunPage(db: Db, runId: string, now: Date): Promise<RunPage | null> {
  const read = await readRun(db, runId);
  if (!read) return null;
  const { snapshot } = read;
  const { run } = snapshot;
  const { kind, id: starterId, name } = run.startedBy;
  const started = { startedByKind: kind, startedByName: name, startedByUserId: run.startedByUserId };
  const [waits, retry, personBehind, acts, clients] = await Promise.all([
    sumPersonWaits(db, [runId], now),
    db.run.findFirst({ where: { retryOfRunId: runId }, orderBy: { id: "desc" }, select: { id: true } }),
    findStarters(db, [started]),
    readPersonActs(db, read),
    findClients(db, [runId]),
  ]);
  const unknownCalls = unsettledCallsOf(read);
  const { id, workflow, version, configHash, status, retryOfRunId, tokensIn, tokensOut, llmCalls, toolCalls } = run;
  const { costUsd, costBudgetUsd } = run;
  return {
    id,
    workflow,
    version,
    configHash,
    status,
    retryOfRunId,
    tokensIn,
    tokensOut,
    llmCalls,
    toolCalls,
    costUsd: toMoney(costUsd),
    costBudgetUsd,
    degraded: [...snapshot.steps.values()].some((step) => step.degraded),
    error: shown(run.error),
    startedBy: {
      kind,
      id: starterId,
      name,
      person: personBehind(started),
    },
    client: clients.get(runId) ?? null,
    retriedAsRunId: retry?.id ?? null,
    params: shown(run.params),
    output: shown(run.output),
    workedMs: run.activeMs,
    waitedMs: waits.get(runId) ?? 0,
    createdAt: new Date(run.createdAt),
    updatedAt: read.updatedAt,
    completedAt: toDate(run.completedAt),
    steps: pageStepsOf(snapshot),
    counts: {
      ...countQuestions(snapshot),
      events: read.eventEnds.at(-1) ?? 0,
    },
    unknownCalls: unknownCalls.slice(0, UNKNOWN_SHOWN_MAX).map(toUnknownCall),
    acts,
    review: reviewOf(snapshot),
  };
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

function pageStepsOf(snapshot: RunSnapshot): RunPageStep[] {
  const children = new Map<string, { total: number; ended: number }>();
  for (const { parentId, completedAt } of snapshot.steps.values()) {
    if (parentId === null) continue;
    const { total, ended } = children.get(parentId) ?? { total: 0, ended: 0 };
    children.set(parentId, { total: total + 1, ended: ended + (completedAt === null ? 0 : 1) });
  }
  return stepsInOrder(snapshot)
    .filter(({ parentId }) => parentId === null)
    .map(({ id, key, type, status, agent, degraded, error, costUsd, llmCalls, toolCalls, ...step }) => ({
      id,
      key,
      type,
      status,
      agent,
      degraded,
      llmCalls,
      toolCalls,
      error: shown(error),
      costUsd: toMoney(costUsd),
      startedAt: toDate(step.startedAt),
      completedAt: toDate(step.completedAt),
      children: children.get(id) ?? {
        total: 0,
        ended: 0,
      },
    }));
}

function countQuestions({ approvals }: RunSnapshot): { approvals: number; pendingApprovals: number } {
  const pending = [...approvals.values()].filter(({ status }) => status === "pending");
  return { approvals: approvals.size, pendingApprovals: pending.length };
}

function toUnknownCall(call: UnsettledCall): RunPage["unknownCalls"][number] {
  const { id, server, tool, summary, stepId, reason, isWebhook } = call;
  const why = reason === null ? null : showInvisible(reason);
  return { id, server, tool, stepId, isWebhook, summary: showInvisible(summary), reason: why };
}

function reviewOf(snapshot: RunSnapshot): RunPage["review"] {
  const [review, ...others] = reviewStepsOf(snapshot);
  if (!review) return null;
  return {
    stepId: review.id,
    name: review.name,
    message: showInvisible(review.message),
    output: shown(review.rawOutput),
    digest: digestOutput(review.rawOutput),
    others: others.length,
  };
}

import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { CallStatus } from "@/lib/domain/call-state";
import type { ApprovalRule } from "@/lib/domain/policy/approval-rule";
import type { StepStatus } from "@/lib/domain/step-state";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";
import { openSecret } from "@/lib/store/secret-box";

export interface RunRow {
  id: string;
  workflow: string;
  configHash: string;
  params: Record<string, unknown>;
  /** Opens the values of secret params, in the moment they are needed. */
  openSecrets: () => Record<string, string>;
  startedByUserId: string | null;
  costUsd: number;
  costBudgetUsd: number | null;
  /** Left over from a worker that died; nothing is set aside while nobody works on the run. */
  costReservedUsd: number;
  activeMs: number;
  wakes: number;
}

export interface StepRow {
  id: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  parentId: string | null;
  itemIndex: number | null;
  input: unknown;
  output: unknown;
  rawOutput: unknown;
  error: { code: string; message: string } | null;
  degraded: boolean;
  state: Record<string, unknown>;
}

export interface TurnRow {
  id: string;
  stepId: string;
  number: number;
  request: unknown;
  response: unknown;
}

export interface CallRow {
  id: string;
  stepId: string;
  turnId: string | null;
  modelCallId: string | null;
  server: string;
  tool: string;
  status: CallStatus;
  argumentsCanonical: string;
  digest: string;
  definitionFingerprint: string | null;
  retrySafe: boolean;
  costUsd: number;
  epoch: number | null;
  result: unknown;
  error: { code: string; message: string; fails_run?: true } | null;
  /** Of the newest question about it, if people were asked. */
  approval: { id: string; status: ApprovalStatus; rule: ApprovalRule; reason: string | null; edited: boolean } | null;
}

export interface RunSnapshot {
  run: RunRow;
  steps: StepRow[];
  turns: TurnRow[];
  calls: CallRow[];
}

/**
 * All that a worker needs to go on with a run, in four reads. The run comes first: its `wakes` must never be newer than the rows, or
 * a decision that came between the reads would count as seen, and nobody would look at it again.
 */
export async function loadRun(db: Db, runId: string): Promise<RunSnapshot> {
  const run = await db.run.findUniqueOrThrow({ where: { id: runId } });
  const [steps, turns, calls] = await Promise.all([
    db.step.findMany({ where: { runId }, orderBy: { id: "asc" } }),
    db.turn.findMany({ where: { runId }, orderBy: { id: "asc" }, select: { id: true, stepId: true, number: true, request: true, response: true } }),
    loadCalls(db, runId),
  ]);
  return { run: toRunRow(run), steps: steps.map(toStepRow), turns, calls };
}

/** What others may have changed meanwhile: decisions, settlements, reviews. `wakes` first, as above. */
export async function reloadRun(db: Db, runId: string): Promise<{ wakes: number; steps: StepRow[]; calls: CallRow[] }> {
  const run = await db.run.findUniqueOrThrow({ where: { id: runId }, select: { wakes: true } });
  const [steps, calls] = await Promise.all([
    db.step.findMany({ where: { runId }, orderBy: { id: "asc" } }),
    loadCalls(db, runId),
  ]);
  return { wakes: run.wakes, steps: steps.map(toStepRow), calls };
}

async function loadCalls(db: Db, runId: string): Promise<CallRow[]> {
  const rows = await db.call.findMany({ where: { runId }, orderBy: { id: "asc" }, include: { approvals: { orderBy: { id: "desc" }, take: 1, include: { decisions: true } } } });
  return rows.map(toCallRow);
}

function toRunRow(row: Prisma.RunGetPayload<object>): RunRow {
  const { secrets } = row;
  return {
    id: row.id,
    workflow: row.workflow,
    configHash: row.configHash,
    params: row.params as Record<string, unknown>,
    openSecrets: () => (secrets ? (JSON.parse(openSecret(secrets)) as Record<string, string>) : {}),
    startedByUserId: row.startedByUserId,
    costUsd: Number(row.costUsd),
    costBudgetUsd: row.costBudgetUsd === null ? null : Number(row.costBudgetUsd),
    costReservedUsd: Number(row.costReservedUsd),
    activeMs: row.activeMs,
    wakes: row.wakes,
  };
}

function toStepRow(row: Prisma.StepGetPayload<object>): StepRow {
  const { id, key, type, status, parentId, itemIndex, input, output, rawOutput, degraded } = row;
  return { id, key, type, status, parentId, itemIndex, input, output, rawOutput, degraded, error: row.error as StepRow["error"], state: row.state as Record<string, unknown> };
}

function toCallRow(row: Prisma.CallGetPayload<{ include: { approvals: { include: { decisions: true } } } }>): CallRow {
  const [approval] = row.approvals;
  const rejection = approval?.decisions.find((decision) => decision.verdict === "rejected");
  return {
    id: row.id,
    stepId: row.stepId,
    turnId: row.turnId,
    modelCallId: row.modelCallId,
    server: row.server,
    tool: row.tool,
    status: row.status,
    argumentsCanonical: row.argumentsCanonical,
    digest: row.digest,
    definitionFingerprint: row.definitionFingerprint,
    retrySafe: row.retrySafe,
    costUsd: Number(row.costUsd),
    epoch: row.epoch,
    result: row.result,
    error: row.error as CallRow["error"],
    approval: approval
      ? {
          id: approval.id,
          status: approval.status,
          rule: approval.rule as unknown as ApprovalRule,
          reason: rejection?.reason ?? null,
          edited: approval.decisions.some((decision) => decision.argumentsCanonical !== null),
        }
      : null,
  };
}

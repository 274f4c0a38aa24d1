import { createHash } from "node:crypto";
import { DEFAULT_APPROVAL_RULE } from "@/lib/domain/policy/approval-rule";
import type { TraceEntry } from "@/lib/domain/policy/policy-answer";
import { createId } from "@/lib/ids";
import type { Db } from "@/lib/store/client";

export interface PastCall {
  server: string;
  tool: string;
  askedAt: Date;
  /** Until the decision or the expiry. */
  tookMs: number;
  outcome: "approved" | "rejected" | "expired" | "cancelled";
  /** Who decided; several when it took several. */
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

const HASH = "sha256:past";
const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** A run that happened at a time of the test's choosing, as rows: the engine itself cannot live in the past. Gives the run's id. */
export async function buildPastRun(db: Db, past: PastRun): Promise<string> {
  const { turns = [], calls = [], status = "complete", workflow, at } = past;
  const [id, stepId] = [createId("run"), createId("step")];
  const sum = (pick: (turn: (typeof turns)[number]) => number) => turns.reduce((total, turn) => total + pick(turn), 0);
  const figures = { tokensIn: sum((turn) => turn.tokensIn), tokensOut: sum((turn) => turn.tokensOut), costUsd: sum((turn) => turn.costUsd), llmCalls: turns.length };
  await db.projectVersion.upsert({ where: { hash: HASH }, create: { hash: HASH, content: Buffer.from("") }, update: {} });
  await db.run.create({
    data: {
      ...figures,
      id,
      workflow,
      version: "1.0.0",
      configHash: HASH,
      status,
      ...(status === "failed" ? { error: { code: "failed", message: "It failed on purpose." } } : {}),
      startedByKind: "system",
      startedById: "past",
      startedByName: "Past",
      params: {},
      createdAt: at,
      updatedAt: at,
      completedAt: at,
      search: { create: { agents: ["worker"], text: "" } },
      steps: { create: { id: stepId, key: "work", type: "agent", status, agent: "worker", startedAt: at, completedAt: at } },
    },
  });
  await db.turn.createMany({ data: turns.map((turn, index) => ({ ...turn, id: createId("turn"), runId: id, stepId, number: index + 1, request: {}, response: {}, durationMs: 1, createdAt: at })) });
  const rows = calls.map((call) => toPastRows({ runId: id, stepId, workflow }, call));
  await db.call.createMany({ data: rows.map(({ call }) => call) });
  await db.approval.createMany({ data: rows.map(({ approval }) => approval) });
  await db.decision.createMany({ data: rows.flatMap(({ decisions }) => decisions) });
  return id;
}

function toPastRows(of: { runId: string; stepId: string; workflow: string }, past: PastCall) {
  const { server, tool, askedAt, tookMs, outcome, by = [], danger = "medium", line = 1, approvers = [] } = past;
  const decidedAt = new Date(askedAt.getTime() + tookMs);
  const trace: TraceEntry[] = [{ layer: "require_approval", outcome: "ask", reason: `Asked by line ${line}`, source: { file: "agents/worker.agent.yaml", line, column: 1 } }];
  const [callId, approvalId, digest] = [createId("call"), createId("approval"), digestOf(`${server}.${tool}`)];
  const named = { agent: "worker", server, tool, danger, digest, createdAt: askedAt };
  const sent = outcome === "approved";
  const verdict = outcome === "approved" || outcome === "rejected" ? outcome : null;
  return {
    call: {
      ...named,
      id: callId,
      runId: of.runId,
      stepId: of.stepId,
      status: sent ? ("succeeded" as const) : outcome,
      arguments: {},
      argumentsCanonical: "{}",
      policyHash: HASH,
      trace: JSON.parse(JSON.stringify(trace)),
      completedAt: decidedAt,
      ...(sent ? { executingAt: decidedAt, epoch: 1, attempt: 1 } : {}),
    },
    approval: {
      ...named,
      ...of,
      id: approvalId,
      callId,
      status: outcome,
      summary: `Use ${tool}`,
      rule: { ...DEFAULT_APPROVAL_RULE, approvers: [...approvers], escalate: undefined, reason: `Asked by line ${line}` },
      approvers: [...approvers],
      minApprovals: Math.max(by.length, 1),
      approvals: sent ? by.length : 0,
      decidedAt,
    },
    decisions: verdict === null ? [] : by.map((userId) => ({ id: createId("decision"), approvalId, userId, verdict, digest, createdAt: decidedAt })),
  };
}

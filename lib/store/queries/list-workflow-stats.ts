import type { RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";
import type { Prisma } from "@/lib/store/generated/client";

export interface WorkflowStats {
  /** Newest first. */
  lastRuns: { id: string; status: RunStatus }[];
  /** Of the runs looked at, those that are over. */
  ended: number;
  complete: number;
  /** Of the runs looked at, those that wait for people now. */
  waiting: number;
  /** Mean cost of those that are over; null when none is. */
  meanCostUsd: number | null;
  lastStartedAt: Date | null;
  /** Versions of the runs looked at, newest first. */
  versions: { version: string; runs: number }[];
}

interface Row {
  workflow: string;
  id: string;
  status: RunStatus;
  version: string;
  cost_usd: Prisma.Decimal;
  created_at: Date;
}

/** Figures are over this many of the newest runs of each workflow: what holds now, and as quick with a million runs as with ten. */
export const RUNS_LOOKED_AT = 100;
const LAST_SHOWN = 20;

export async function listWorkflowStats(db: Db, workflows: readonly string[]): Promise<Map<string, WorkflowStats>> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT r.* FROM unnest(${[...workflows]}::text[]) AS w (name)
    CROSS JOIN LATERAL (
      SELECT workflow, id, status::text AS status, version, cost_usd, created_at FROM runs WHERE workflow = w.name ORDER BY id DESC LIMIT ${RUNS_LOOKED_AT}
    ) AS r ORDER BY r.id DESC`;
  return new Map(workflows.map((name) => [name, toStats(rows.filter(({ workflow }) => workflow === name))]));
}

function toStats(rows: readonly Row[]): WorkflowStats {
  const over = rows.filter(({ status }) => status === "complete" || status === "failed" || status === "cancelled");
  const cost = over.reduce((sum, row) => sum + Number(row.cost_usd), 0);
  const versions = new Map<string, number>();
  for (const { version } of rows) versions.set(version, (versions.get(version) ?? 0) + 1);
  return {
    lastRuns: rows.slice(0, LAST_SHOWN).map(({ id, status }) => ({ id, status })),
    ended: over.length,
    complete: over.filter(({ status }) => status === "complete").length,
    waiting: rows.filter(({ status }) => status === "pending_approval" || status === "needs_human_review").length,
    meanCostUsd: over.length > 0 ? cost / over.length : null,
    lastStartedAt: rows[0]?.created_at ?? null,
    versions: [...versions].map(([version, runs]) => ({ version, runs })),
  };
}

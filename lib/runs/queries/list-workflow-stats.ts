import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { Db } from "@/lib/database/client";

export interface WorkflowStats {
  /** Newest first. */
  lastRuns: { id: string; status: RunStatus }[];
  /** Of the runs considered, those that are over. */
  ended: number;
  complete: number;
  /** Of the runs considered, those that wait for people now. */
  waiting: number;
  /** Mean cost of those that are over; null when none is. */
  meanCostUsd: number | null;
  lastStartedAt: Date | null;
}

interface Row {
  workflow: string;
  ids: string[];
  statuses: RunStatus[];
  ended: number;
  complete: number;
  waiting: number;
  mean_cost_usd: number | null;
  last_started_at: Date;
}

/**
 * Figures cover this many of the newest runs of each workflow: the current state, and as quick with a million runs as
 * with ten.
 */
export const RUNS_LOOKED_AT = 50;
const LAST_SHOWN = 16;

/**
 * A range from a name to itself: with an equality the planner scans all runs from the newest on for each workflow,
 * which takes long for a rare one and never ends early for one that never ran. Only the index by workflow has this
 * order.
 */
export async function listWorkflowStats(db: Db, workflows: readonly string[]): Promise<Map<string, WorkflowStats>> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT w.name AS workflow, (array_agg(r.id ORDER BY r.id DESC))[1:${LAST_SHOWN}] AS ids, (array_agg(r.status::text ORDER BY r.id DESC))[1:${LAST_SHOWN}] AS statuses,
      count(*) FILTER (WHERE r.completed_at IS NOT NULL)::int AS ended, count(*) FILTER (WHERE r.status = 'complete')::int AS complete,
      count(*) FILTER (WHERE r.status IN ('pending_approval', 'needs_human_review'))::int AS waiting,
      (avg(r.cost_usd) FILTER (WHERE r.completed_at IS NOT NULL))::float8 AS mean_cost_usd, max(r.created_at) AS last_started_at
    FROM unnest(${[...workflows]}::text[]) AS w (name)
    CROSS JOIN LATERAL (SELECT id, status, cost_usd, created_at, completed_at FROM runs WHERE workflow BETWEEN w.name AND w.name ORDER BY workflow, id DESC LIMIT ${RUNS_LOOKED_AT}) AS r
    GROUP BY w.name`;
  const byName = new Map(rows.map((row) => [row.workflow, row]));
  return new Map(workflows.map((name) => [name, toStats(byName.get(name))]));
}

function toStats(row: Row | undefined): WorkflowStats {
  if (!row) return { lastRuns: [], ended: 0, complete: 0, waiting: 0, meanCostUsd: null, lastStartedAt: null };
  const { ids, statuses, ended, complete, waiting } = row;
  return {
    lastRuns: ids.flatMap((id, index) => (statuses[index] ? [{ id, status: statuses[index] }] : [])),
    ended,
    complete,
    waiting,
    meanCostUsd: row.mean_cost_usd,
    lastStartedAt: row.last_started_at,
  };
}

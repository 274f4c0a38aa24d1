import type { Db } from "@/lib/database/client";
import type { Span } from "@/lib/insights/queries/span";

interface Costs {
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
}

export interface WorkflowCosts extends Costs {
  name: string;
  runs: number;
  failed: number;
}

export interface ModelCosts extends Costs {
  name: string;
  turns: number;
}

/** The most expensive ones, how many there are, and the total. */
export interface CostList<T> {
  items: T[];
  total: number;
  sum: Omit<T, "name">;
}

const COSTS = ["tokensIn", "tokensOut", "costUsd"] as const;

/** What the runs that were started in the span have used up so far, models and tools together. */
export async function listWorkflowCosts(
  db: Db,
  { from, to, limit }: Span & { limit: number },
): Promise<CostList<WorkflowCosts>> {
  const rows = await db.$queryRaw<WorkflowCosts[]>`
    SELECT workflow AS name, count(*)::int AS runs, count(*) FILTER (WHERE status = 'failed')::int AS failed,
      sum(tokens_in)::float8 AS "tokensIn", sum(tokens_out)::float8 AS "tokensOut", sum(cost_usd)::float8 AS "costUsd"
    FROM runs WHERE created_at >= ${from} AND created_at < ${to}
    GROUP BY workflow ORDER BY sum(cost_usd) DESC, count(*) DESC, workflow`;
  return { items: rows.slice(0, limit), total: rows.length, sum: sumOf(rows, [...COSTS, "runs", "failed"]) };
}

/** What models were paid for in the span, whenever the run was started. */
export async function listModelCosts(
  db: Db,
  { from, to, limit }: Span & { limit: number },
): Promise<CostList<ModelCosts>> {
  const rows = await db.$queryRaw<ModelCosts[]>`
    SELECT model AS name, count(*)::int AS turns, sum(tokens_in)::float8 AS "tokensIn", sum(tokens_out)::float8 AS "tokensOut", sum(cost_usd)::float8 AS "costUsd"
    FROM turns WHERE created_at >= ${from} AND created_at < ${to}
    GROUP BY model ORDER BY sum(cost_usd) DESC, count(*) DESC, model`;
  return { items: rows.slice(0, limit), total: rows.length, sum: sumOf(rows, [...COSTS, "turns"]) };
}

function sumOf<K extends string>(rows: readonly Readonly<Record<K, number>>[], names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])) as Record<
    K,
    number
  >;
}

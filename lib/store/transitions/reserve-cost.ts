/** Sets money aside before it is spent, so that calls at the same instant cannot spend the same dollar. */
import type { Db } from "@/lib/store/client";
import { heldBy, type Lease } from "@/lib/store/lease-sql";

export async function reserveCost(db: Db, lease: Lease, usd: number): Promise<{ kind: "done" } | { kind: "lost" } | { kind: "refused"; usedUsd: number; budgetUsd: number }> {
  const [row] = await db.$queryRaw<{ reserved: boolean; used: number; budget: number | null }[]>`
    WITH held AS MATERIALIZED (SELECT id, cost_usd + cost_reserved_usd AS used, cost_budget_usd AS budget FROM runs WHERE ${heldBy(lease)} FOR UPDATE),
    moved AS (
      UPDATE runs SET cost_reserved_usd = cost_reserved_usd + ${usd} FROM held
      WHERE runs.id = held.id AND (held.budget IS NULL OR (held.used < held.budget AND held.used + ${usd} <= held.budget))
      RETURNING runs.id
    )
    SELECT EXISTS (SELECT 1 FROM moved) AS reserved, used::float8, budget::float8 FROM held`;
  if (!row) return { kind: "lost" };
  return row.reserved ? { kind: "done" } : { kind: "refused", usedUsd: row.used, budgetUsd: row.budget ?? 0 };
}

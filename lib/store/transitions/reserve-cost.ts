/** Sets money aside before it is spent, so that calls at the same instant cannot spend the same dollar. */
import type { Statements } from "@/lib/store/client";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";

export type ReserveOutcome =
  | { kind: "done" }
  | { kind: "lost" }
  /** `usedUsd` is what is spent and what is set aside for others. */
  | { kind: "refused"; spentUsd: number; usedUsd: number; budgetUsd: number };

export async function reserveCost(db: Statements, lease: Lease, usd: number): Promise<ReserveOutcome> {
  const [row] = await db.$queryRaw<{ reserved: boolean; spent: number; used: number; budget: number | null }[]>`
    WITH held AS MATERIALIZED (SELECT id, cost_usd AS spent, cost_usd + cost_reserved_usd AS used, cost_budget_usd AS budget FROM runs WHERE ${heldBy(lease)} FOR UPDATE),
    moved AS (
      UPDATE runs SET cost_reserved_usd = cost_reserved_usd + ${usd} FROM held
      WHERE runs.id = held.id AND (held.budget IS NULL OR (held.used < held.budget AND held.used + ${usd} <= held.budget))
      RETURNING runs.id
    )
    SELECT EXISTS (SELECT 1 FROM moved) AS reserved, spent::float8, used::float8, budget::float8 FROM held`;
  if (!row) return { kind: "lost" };
  return row.reserved ? { kind: "done" } : { kind: "refused", spentUsd: row.spent, usedUsd: row.used, budgetUsd: row.budget ?? 0 };
}

/** What was set aside for a turn that gave nothing to record. */
export async function releaseCost(db: Statements, lease: Lease, usd: number): Promise<LeaseOutcome> {
  return toOutcome(await db.$queryRaw<{ id: string }[]>`
    UPDATE runs SET cost_reserved_usd = greatest(cost_reserved_usd - ${usd}, 0) WHERE ${heldBy(lease)} RETURNING id`);
}

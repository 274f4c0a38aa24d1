import type { Db } from "@/lib/store/client";

export interface ChainedStep {
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  agent: string | null;
  /** Set for an item of a fan-out. */
  itemIndex: number | null;
  /** Of the items beside it, how many have failed. */
  failedBeside: number;
}

/** A step and those above it, innermost first. */
export async function listStepChain(db: Db, stepId: string): Promise<ChainedStep[]> {
  return db.$queryRaw<ChainedStep[]>`
    WITH RECURSIVE up AS (
      SELECT id, parent_id, key, type, agent, item_index, 1 AS depth FROM steps WHERE id = ${stepId}
      UNION ALL SELECT s.id, s.parent_id, s.key, s.type, s.agent, s.item_index, up.depth + 1 FROM up JOIN steps s ON s.id = up.parent_id
    )
    SELECT key, type::text AS type, agent, item_index AS "itemIndex",
      CASE WHEN item_index IS NULL THEN 0 ELSE (SELECT count(*)::int FROM steps b WHERE b.parent_id = up.parent_id AND b.item_index IS NOT NULL AND b.status = 'failed') END AS "failedBeside"
    FROM up ORDER BY depth`;
}

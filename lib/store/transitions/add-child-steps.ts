/** Adds the items of a fan-out, or the steps of a sub-workflow, below a step. Those that exist already are left alone. */
import type { Statements } from "@/lib/store/client";
import { heldBy, type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";

export interface ChildStep {
  id: string;
  parentId: string;
  key: string;
  type: string;
  agent: string | null;
  itemIndex: number | null;
  input: unknown;
}

export async function addChildSteps(db: Statements, lease: Lease, children: ChildStep[], at: Date): Promise<LeaseOutcome> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH held AS (UPDATE runs SET updated_at = ${at} WHERE ${heldBy(lease)} RETURNING id),
    added AS (
      INSERT INTO steps (id, run_id, parent_id, key, type, agent, item_index, input)
      SELECT c.id, held.id, c."parentId", c.key, c.type::step_type, c.agent, c."itemIndex", c.input
      FROM held, jsonb_to_recordset(${JSON.stringify(children)}::jsonb)
        AS c (id text, "parentId" text, key text, type text, agent text, "itemIndex" int, input jsonb)
      ON CONFLICT DO NOTHING
    )
    SELECT id FROM held`;
  return toOutcome(rows);
}

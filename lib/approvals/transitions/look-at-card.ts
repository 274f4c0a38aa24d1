/**
 * Records that someone has a card open, or no longer has. No event: it is not a change of state, and it happens all the
 * time.
 */
import type { Db } from "@/lib/database/client";

export interface Look {
  approvalId: string;
  userId: string;
}

/**
 * Records nothing for a call that no longer waits; false when there is no such approval. Each look also deletes expired
 * ones.
 */
export async function lookAtCard(db: Db, look: Look, { until, at }: Record<"until" | "at", Date>): Promise<boolean> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH swept AS (DELETE FROM viewers WHERE until < ${at} AND NOT (approval_id = ${look.approvalId} AND user_id = ${look.userId})),
    looked AS (
      INSERT INTO viewers (approval_id, user_id, until)
      SELECT id, ${look.userId}, ${until} FROM approvals WHERE id = ${look.approvalId} AND status = 'pending'
      ON CONFLICT (approval_id, user_id) DO UPDATE SET until = greatest(viewers.until, excluded.until))
    SELECT id FROM approvals WHERE id = ${look.approvalId}`;
  return rows.length > 0;
}

export async function lookAwayFromCard(db: Db, look: Look): Promise<void> {
  await db.$executeRaw`DELETE FROM viewers WHERE approval_id = ${look.approvalId} AND user_id = ${look.userId}`;
}

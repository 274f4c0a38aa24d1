/**
 * Removes ended runs from lists and projections when their retention time is over. Their journal stays complete; the
 * trail says up to when runs were removed. A run with a later retry is kept as long as that one.
 */
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { RUNS_REMOVED } from "@/lib/audit/rules/retained";
import { insertEvent } from "@/lib/audit/transitions/event-sql";
import type { Db } from "@/lib/database/client";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";

const BATCH_MAX = 200;
const TRANSACTION = { timeout: 60_000 };

/**
 * How many were removed; fewer than a batch means that none is left. Safe to stop at any moment, and to run in many
 * processes.
 */
export async function removeRuns(db: Db, before: Date, at: Date): Promise<{ removed: number; isAll: boolean }> {
  return db.$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT r.id FROM runs r JOIN projected_runs p ON p.run_id = r.id AND p.seq >= r.seq
      WHERE r.status IN ('complete', 'failed', 'cancelled') AND r.created_at < ${before} AND r.updated_at < ${before}
        AND NOT EXISTS (SELECT 1 FROM runs later WHERE later.retry_of_run_id = r.id)
      ORDER BY r.id LIMIT ${BATCH_MAX} FOR UPDATE OF r SKIP LOCKED`;
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return { removed: 0, isAll: true };
    const ofApprovals = { where: { approval: { runId: { in: ids } } } };
    const ofRuns = { where: { runId: { in: ids } } };
    await tx.setAside.deleteMany(ofApprovals);
    await tx.viewer.deleteMany(ofApprovals);
    await tx.decision.deleteMany(ofApprovals);
    await tx.call.deleteMany(ofRuns);
    await tx.turn.deleteMany(ofRuns);
    await tx.step.deleteMany(ofRuns);
    await tx.$executeRaw`DELETE FROM approval_search WHERE approval_id IN (SELECT id FROM approvals WHERE run_id = ANY (${ids}))`;
    await tx.approval.deleteMany(ofRuns);
    await tx.runSearch.deleteMany(ofRuns);
    const data = { before: before.toISOString(), runs: ids.length };
    const event = { chainId: SYSTEM_CHAIN, type: RUNS_REMOVED, at, actor: SYSTEM_ACTOR, data } as const;
    await tx.$queryRaw`WITH moved AS (DELETE FROM runs WHERE id = ANY (${ids}) RETURNING id),
      logged AS (${insertEvent(event, "moved")}) SELECT id FROM moved`;
    return { removed: ids.length, isAll: ids.length < BATCH_MAX };
  }, TRANSACTION);
}

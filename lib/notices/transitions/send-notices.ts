/**
 * The life of a message: held by one process for a while, and then ended, or due again later. When a process dies, the
 * next one sends it.
 */
import type { Notice, NoticeFacts, NoticeType } from "@/lib/notices/rules/notice";
import type { Db } from "@/lib/database/client";

export interface TakenNotice extends Notice {
  /** This one included. */
  attempts: number;
}

/**
 * Those that are due, for as long as it takes to send them. One that is about a call that is decided by now is ended
 * here and not returned.
 */
export async function takeNotices(
  db: Db,
  { channel, holdMs, limit }: { channel: string; holdMs: number; limit: number },
  at: Date,
): Promise<TakenNotice[]> {
  const until = new Date(at.getTime() + holdMs);
  const rows = await db.$queryRaw<
    { id: string; type: NoticeType; facts: NoticeFacts; attempts: number; outcome: string | null }[]
  >`
    WITH due AS MATERIALIZED (
      SELECT id FROM notices WHERE channel = ${channel} AND ended_at IS NULL AND due_at <= ${at} ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), judged AS (
      SELECT due.id, n.type IN ('approval.requested', 'approval.escalated') AND coalesce(a.status <> 'pending', true) AS is_over
      FROM due JOIN notices n ON n.id = due.id LEFT JOIN approvals a ON a.id = n.facts #>> '{approval,id}'
    )
    UPDATE notices SET attempts = attempts + CASE WHEN is_over THEN 0 ELSE 1 END, due_at = ${until},
      outcome = CASE WHEN is_over THEN 'not_needed'::notice_outcome END, ended_at = CASE WHEN is_over THEN ${at}::timestamptz END
    FROM judged WHERE notices.id = judged.id
    RETURNING notices.id, notices.type, notices.facts, notices.attempts, notices.outcome`;
  return rows
    .filter(({ outcome }) => outcome === null)
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    .map(({ id, type, facts, attempts }) => ({ id, type, facts, attempts }));
}

export async function endNotices(
  db: Db,
  ids: readonly string[],
  { outcome, error }: { outcome: "sent" | "failed"; error: string | null },
  at: Date,
): Promise<void> {
  await db.notice.updateMany({
    where: { id: { in: [...ids] }, endedAt: null },
    data: { outcome, lastError: error, endedAt: at },
  });
}

export async function putOffNotices(
  db: Db,
  ids: readonly string[],
  { until, error }: { until: Date; error: string },
): Promise<void> {
  await db.notice.updateMany({
    where: { id: { in: [...ids] }, endedAt: null },
    data: { dueAt: until, lastError: error },
  });
}

/** True while there may be more. */
export async function pruneNotices(db: Db, before: Date, limit: number): Promise<boolean> {
  const count = await db.$executeRaw`
    DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE ended_at < ${before} ORDER BY ended_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
  return count === limit;
}

/** Puts a pending call aside for one person, or takes it up again, each with its event. False when it is decided, or nothing was aside. */
import type { Actor } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";

export interface NewSetAside {
  approvalId: string;
  runId: string;
  userId: string;
  note: string | null;
  until: Date | null;
}

export async function setAsideRow(db: Db, aside: NewSetAside, actor: Actor, at: Date): Promise<boolean> {
  const data = { approval_id: aside.approvalId, until: aside.until?.toISOString() ?? null, note: aside.note };
  const event = insertEvent({ chainId: aside.runId, type: "approval.set_aside", at, actor, data }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      INSERT INTO set_asides (approval_id, user_id, note, version, until, created_at)
      SELECT a.id, ${aside.userId}, ${aside.note}, a.version, ${aside.until}, ${at} FROM approvals a
      WHERE a.id = ${aside.approvalId} AND a.status = 'pending' AND (a.expires_at IS NULL OR a.expires_at > ${at})
      ON CONFLICT (user_id, approval_id) DO UPDATE SET note = excluded.note, version = excluded.version, until = excluded.until, created_at = excluded.created_at
      RETURNING approval_id AS id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

/** The note stays: what was said was said. */
export async function takeUpRow(db: Db, aside: { approvalId: string; runId: string; userId: string }, actor: Actor, at: Date): Promise<boolean> {
  const event = insertEvent({ chainId: aside.runId, type: "approval.taken_up", at, actor, data: { approval_id: aside.approvalId } }, "moved");
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE set_asides SET until = ${at} WHERE approval_id = ${aside.approvalId} AND user_id = ${aside.userId} AND (until IS NULL OR until > ${at})
      RETURNING approval_id AS id
    ), logged AS (${event})
    SELECT id FROM moved`;
  return rows.length > 0;
}

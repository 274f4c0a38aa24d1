/** Ends one session of a person for good, with its event. False when it was ended before. */
import type { Actor } from "@/lib/people/rules/actor";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import { insertEvent } from "@/lib/audit/transitions/event-sql";

export async function endSessionRow(
  db: Db,
  session: { id: string; userId: string; keepUntil: Date },
  actor: Actor,
  at: Date,
): Promise<boolean> {
  const event = insertEvent(
    { chainId: SYSTEM_CHAIN, type: "user.signed_out", at, actor, data: { user_id: session.userId } },
    "ended",
  );
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH ended AS (
      INSERT INTO ended_sessions (id, user_id, keep_until) VALUES (${session.id}, ${session.userId}, ${session.keepUntil})
      ON CONFLICT DO NOTHING RETURNING id
    ), logged AS (${event})
    SELECT id FROM ended`;
  return rows.length > 0;
}

export async function pruneEndedSessions(db: Db, at: Date): Promise<void> {
  await db.$executeRaw`DELETE FROM ended_sessions WHERE keep_until < ${at}`;
}

/** Finds the runs of clients by what identifies them. */
import type { Db } from "@/lib/database/client";
import { READ_IN_GROUP } from "@/lib/database/plan-anew";

/** The run that answers the call with this key. */
export async function findRunByKey(db: Db, clientKey: Buffer): Promise<string | null> {
  const [row] = await db.$queryRaw<
    { id: string }[]
  >`${READ_IN_GROUP}SELECT id FROM runs WHERE client_key = ${clientKey}`;
  return row?.id ?? null;
}

export async function findSessionSpending(db: Db, sessionId: string): Promise<number> {
  const [row] = await db.$queryRaw<{ spent: number }[]>`SELECT spent_usd::float8 AS spent FROM client_sessions
    WHERE id = ${sessionId}`;
  return row?.spent ?? 0;
}

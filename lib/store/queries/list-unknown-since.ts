import type { Db } from "@/lib/store/client";

/** Since when nobody knew what became of each of these calls; those of which it was always known are left out. */
export async function listUnknownSince(db: Db, runId: string, calls: readonly { id: string; executingAt: Date | null }[]): Promise<Map<string, Date>> {
  const sent = new Map(calls.flatMap(({ id, executingAt }) => (executingAt ? [[id, executingAt] as const] : [])));
  if (sent.size === 0) return new Map();
  // One that was sent again after it was settled is known again.
  return new Map([...(await readUnknownTimes(db, runId))].filter(([id, at]) => at >= (sent.get(id) ?? Infinity)));
}

/** When it was last written down of a call that nobody knows what became of it, by the call's id; the index events_of_people has these events. */
export async function readUnknownTimes(db: Db, runId: string): Promise<Map<string, Date>> {
  const rows = await db.$queryRaw<{ id: string; at: Date }[]>`
    SELECT body::jsonb #>> '{data,call_id}' AS id, max(at) AS at FROM events WHERE chain_id = ${runId} AND type = 'call.outcome_unknown' GROUP BY 1`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}

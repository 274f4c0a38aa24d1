/**
 * Counts one attempt against a limit that holds across processes. The attempt is counted before it is made, so that a
 * hundred at the same instant count as a hundred. Returns the end of the window when over the limit; `giveBackThrottle`
 * takes back the attempt.
 */
import type { Db } from "@/lib/database/client";

export interface ThrottleLimit {
  key: string;
  max: number;
  windowMs: number;
}

export async function takeThrottle(
  db: Db,
  limit: ThrottleLimit,
  now: Date,
): Promise<{ allowed: true } | { allowed: false; until: Date }> {
  const windowEnd = new Date(now.getTime() + limit.windowMs);
  const [row] = await db.$queryRaw<{ count: number; window_ends_at: Date }[]>`
    INSERT INTO throttles (key, count, window_ends_at) VALUES (${limit.key}, 1, ${windowEnd})
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN throttles.window_ends_at <= ${now} THEN 1 ELSE throttles.count + 1 END,
      window_ends_at = CASE WHEN throttles.window_ends_at <= ${now} THEN ${windowEnd} ELSE throttles.window_ends_at END
    RETURNING count, window_ends_at`;
  if (!row) throw new Error("unreachable: a throttle row that cannot be counted");
  return row.count <= limit.max ? { allowed: true } : { allowed: false, until: row.window_ends_at };
}

/** After a success: everything counted against this key is deleted. */
export async function clearThrottle(db: Db, key: string): Promise<void> {
  await db.$executeRaw`DELETE FROM throttles WHERE key = ${key}`;
}

/** After a success on a shared key: only this attempt is taken back. */
export async function giveBackThrottle(db: Db, key: string): Promise<void> {
  await db.$executeRaw`UPDATE throttles SET count = greatest(count - 1, 0) WHERE key = ${key}`;
}

export async function pruneThrottles(db: Db, now: Date): Promise<void> {
  await db.$executeRaw`DELETE FROM throttles WHERE window_ends_at < ${now}`;
}

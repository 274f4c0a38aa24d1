/**
 * Commits the outcome of something done outside, even if the database goes away at that moment: a lost answer would
 * have to be paid for, or asked of a person, a second time. The commit must be guarded by the lease and use the same
 * ids each time, because an earlier try may have been executed without confirmation.
 */
import { setTimeout as delay } from "node:timers/promises";
import { COMMIT_RETRY_MS } from "@/lib/limits";
import { isDatabaseAway } from "@/lib/database/database-away";

const RETRY_MS = 100;

/** Throws the last database error when it stays away for too long, and any other error at once. */
export async function retryCommit<T>(commit: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + COMMIT_RETRY_MS;
  for (;;) {
    try {
      return await commit();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > giveUpAt) throw error;
    }
    await delay(RETRY_MS);
  }
}

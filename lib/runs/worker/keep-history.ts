/**
 * Detects that the database was failed over or restored, and marks the runs in progress accordingly. Until then no
 * worker writes: see heldBy.
 */
import { LEASE_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { log } from "@/lib/log";
import { getHistory } from "@/lib/database/queries/get-history";
import { acceptHistory, noteReplication } from "@/lib/runs/transitions/accept-history";

/** Each invocation checks once. */
export function createHistoryKeeper({ db, now }: EngineDeps): () => Promise<void> {
  /**
   * The history in which this process saw commits that waited for no standby. The rows may not know: recording it was
   * such a commit itself.
   */
  let seenAsynchronous: string | null = null;
  return async () => {
    const history = await getHistory(db);
    if (history.known === history.now) {
      if (history.isSynchronous !== history.wasSynchronous) await noteReplication(db, history, now());
      // The commit that recorded waiting was itself waited for, so everything before it is on the standby too.
      seenAsynchronous = history.isSynchronous ? null : history.now;
      return;
    }
    const mayHaveLost = history.known !== null && (!history.wasSynchronous || seenAsynchronous === history.known);
    const marked = await acceptHistory(db, history, { mayHaveLost, lastSendsMs: LEASE_MS, at: now() });
    if (marked === null) return;
    const facts = { from: history.known, to: history.now, runs: marked.length };
    if (mayHaveLost)
      log.warn(
        facts,
        "the database was failed over or restored and may have lost commits; calls of the runs that were in progress ask a person before they are sent",
      );
    else log.info(facts, "the database was failed over without a loss");
  };
}

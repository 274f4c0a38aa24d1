import type { Db } from "@/lib/database/client";
import { readRun } from "@/lib/runs/queries/read-run";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/**
 * The subset of these runs that are not fully projected yet, folded: for lists that may not be behind. A run whose
 * journal was changed is left out, so that it does not break a list; its projected part is shown then.
 */
export async function openBehind(db: Db, runIds: readonly string[]): Promise<ReadonlyMap<string, RunSnapshot>> {
  const behind = await db.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM runs r LEFT JOIN projected_runs p ON p.run_id = r.id
    WHERE r.id = ANY (${[...new Set(runIds)]}) AND coalesce(p.seq, 0) < r.seq`;
  const opened = new Map<string, RunSnapshot>();
  for (const { id } of behind) {
    const read = await readRun(db, id);
    if (read?.isWhole) opened.set(id, read.snapshot);
  }
  return opened;
}

/**
 * Deletes all projections and fills them again from the journal; search rows are overwritten in place, so that searches
 * stay quick meanwhile. If it is interrupted, the workers continue it: the pending rebuild and its progress are in the
 * database.
 */
import type { Db } from "@/lib/database/client";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { resetPlace } from "@/lib/runs/projections/place";
import { underLock } from "@/lib/runs/projections/project-chains";
import { projectNews } from "@/lib/runs/projections/project-news";

export interface RebuildProgress {
  /** Runs whose rows are restored. */
  done: number;
  runs: number;
}

export async function rebuildProjections(
  db: Db,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildProgress> {
  const projector = { db, cache: new FoldCache(), waits: true };
  await underLock(projector, async (tx) => {
    await tx.$executeRaw`TRUNCATE steps, turns, calls, decisions, events, projected_runs`;
    await resetPlace(tx);
  });
  for (;;) {
    const look = await projectNews(projector);
    const progress = await readProgress(db);
    onProgress(progress);
    if (look?.isAll) return progress;
  }
}

async function readProgress(db: Db): Promise<RebuildProgress> {
  const [row] = await db.$queryRaw<RebuildProgress[]>`SELECT count(*)::int AS runs, count(p.run_id)::int AS done
    FROM runs r LEFT JOIN projected_runs p ON p.run_id = r.id`;
  return row ?? { done: 0, runs: 0 };
}

/**
 * Throws all projections away and fills them anew from the journal; what is searched for is written over in its place, so
 * that searches are quick meanwhile. Where it breaks off, the workers go on with it: that all is to
 * be gone through, and how far it has come, stands in the database.
 */
import type { Db } from "@/lib/database/client";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { resetPlace } from "@/lib/runs/projections/place";
import { underLock } from "@/lib/runs/projections/project-chains";
import { projectNews } from "@/lib/runs/projections/project-news";

export interface RebuildProgress {
  /** Runs whose rows are there again. */
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

/**
 * Projects what was written to the journal since the last look. A row is read when every transaction that began before
 * it is over, so that one that commits late is not missed. The place is moved when everything is written: after a crash
 * before that, the next look finds the rows already projected.
 */
import type { Db } from "@/lib/database/client";
import { PLAN_ONCE } from "@/lib/database/plan-anew";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { type Look, movePlace, readPlace } from "@/lib/runs/projections/place";
import { projectChains, type Projector } from "@/lib/runs/projections/project-chains";
import { listStandings, listToFill } from "@/lib/runs/projections/read-entries";

const NEWS_MAX = 500;
const FILL_MAX = 500;
const NOTHING = { chains: [], isAll: true };
/** Looks in a row, so that a worker that stops does not wait until everything is projected. */
const LOOKS_MAX = 20;

/** One look. `isAll` says whether nothing is left; null when another process is projecting. */
export async function projectNews(projector: Projector): Promise<{ isAll: boolean } | null> {
  const look = await readPlace(projector.db);
  const news = await readNews(projector.db, look);
  const isFilled = look.place.fill === null;
  if (news.ids.length === 0 && isFilled) return { isAll: true };
  if (!(await projectChains(projector, await listStandings(projector.db, news.ids)))) return null;
  const left = isFilled ? NOTHING : await listToFill(projector.db, look.place.fill ?? "", FILL_MAX);
  if (!(await projectChains(projector, left.chains))) return null;
  const fill = left.isAll ? null : (left.chains.at(-1)?.id ?? null);
  await movePlace(projector.db, look, { tx: news.next, fill });
  return { isAll: news.isAll && fill === null };
}

interface News {
  ids: string[];
  /** The first transaction that was not read. */
  next: bigint;
  isAll: boolean;
}

/** All rows of a transaction, or none. */
async function readNews(db: Db, { place, horizon }: Look): Promise<News> {
  const rows = await db.$queryRaw<{ id: string; tx: bigint }[]>`${PLAN_ONCE}SELECT run_id AS id, tx FROM journal
    WHERE tx >= ${place.tx} AND tx < ${horizon} ORDER BY tx FETCH FIRST ${NEWS_MAX} ROWS WITH TIES`;
  const isAll = rows.length < NEWS_MAX;
  const last = rows.at(-1);
  return { ids: [...new Set(rows.map(({ id }) => id))], isAll, next: isAll || !last ? horizon : last.tx + 1n };
}

/** The repeated task of a worker. */
export function createProjectionTask(db: Db): () => Promise<void> {
  const projector = { db, cache: new FoldCache() };
  return async () => {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const look = await projectNews(projector);
      if (!look || look.isAll) return;
    }
  };
}

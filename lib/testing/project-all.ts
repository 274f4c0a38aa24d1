import type { Db } from "@/lib/database/client";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { projectChains } from "@/lib/runs/projections/project-chains";
import { listBehind, listStandings } from "@/lib/runs/projections/read-entries";

const BATCH = 500;

/** Projects what a seed has written, without waiting for a worker. */
export async function projectAll(db: Db): Promise<void> {
  const projector = { db, cache: new FoldCache(), waits: true };
  for (;;) {
    const behind = await listBehind(db, "", BATCH);
    if (behind.length === 0) return;
    await projectChains(projector, behind);
  }
}

/** The same for one run, or for the chain that belongs to none. */
export async function projectChain(db: Db, chainId: string): Promise<void> {
  await projectChains({ db, cache: new FoldCache(), waits: true }, await listStandings(db, [chainId]));
}

import type { Db } from "@/lib/store/client";

/** What the models of a run have cost; the rest of its cost is that of its tools. */
export async function sumTurnCosts(db: Db, runId: string): Promise<number> {
  const { _sum } = await db.turn.aggregate({ where: { runId }, _sum: { costUsd: true } });
  return Number(_sum.costUsd ?? 0);
}

import type { RunStatus } from "@/lib/domain/run-state";
import type { Db } from "@/lib/store/client";

export interface Candidate {
  id: string;
  status: RunStatus;
}

/** Runs whose time has come, oldest first, and those whose worker was silent for too long. Only candidates: the claim decides. */
export async function listRunnable(db: Db, now: Date, limit: number): Promise<Candidate[]> {
  return db.$queryRaw<Candidate[]>`
    (SELECT id, status FROM runs WHERE wake_at <= ${now} AND lease_owner IS NULL ORDER BY wake_at LIMIT ${limit})
    UNION ALL
    (SELECT id, status FROM runs WHERE lease_owner IS NOT NULL AND lease_until < ${now} ORDER BY lease_until LIMIT ${limit})`;
}

export async function findCandidate(db: Db, runId: string): Promise<Candidate | null> {
  return db.run.findUnique({ where: { id: runId }, select: { id: true, status: true } });
}

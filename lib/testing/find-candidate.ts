import type { Db } from "@/lib/database/client";
import type { Candidate } from "@/lib/runs/journal/claim-run";

/** The run as a worker sees it that looks for work, whether or not it may be claimed. */
export async function findCandidate(db: Db, runId: string): Promise<Candidate | null> {
  return db.run.findUnique({ where: { id: runId }, select: { id: true, leaseOwner: true } });
}

import type { Db } from "@/lib/store/client";

/** The first step of a run whose answer waits for a person. */
export function findReviewStep(db: Db, runId: string): Promise<{ id: string; key: string } | null> {
  return db.step.findFirst({ where: { runId, status: "needs_human_review" }, orderBy: { id: "asc" }, select: { id: true, key: true } });
}

import type { Db } from "@/lib/store/client";
import { listStepChain } from "@/lib/store/queries/list-step-chain";

export interface ReviewStep {
  id: string;
  /** As people know it: the step of the workflow's file, and the item or the sub-agent. */
  name: string;
  message: string;
  rawOutput: unknown;
}

/** More are not listed at once; the first come first. */
const LISTED_MAX = 100;

/** The answers of a run that wait for a person; or the one of a step, if it does. */
export async function listReviewSteps(db: Db, runId: string, stepId?: string): Promise<ReviewStep[]> {
  const rows = await db.step.findMany({ where: { runId, id: stepId, status: "needs_human_review" }, orderBy: { id: "asc" }, take: LISTED_MAX, select: { id: true, error: true, rawOutput: true } });
  return Promise.all(rows.map(async ({ id, error, rawOutput }) => ({ id, name: await nameStep(db, id), message: (error as { message?: string } | null)?.message ?? "", rawOutput })));
}

async function nameStep(db: Db, stepId: string): Promise<string> {
  const chain = await listStepChain(db, stepId);
  const place = chain.findIndex((step, index) => step.itemIndex !== null || chain[index + 1]?.type !== "agent");
  const named = chain[place];
  const item = named && named.itemIndex !== null ? `, item ${named.itemIndex + 1}` : "";
  return `${named?.key ?? ""}${item}${place > 0 ? `, sub-agent ${chain[0]?.agent}` : ""}`;
}

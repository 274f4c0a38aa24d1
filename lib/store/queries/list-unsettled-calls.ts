import type { DangerLevel } from "@/lib/domain/danger";
import type { Db } from "@/lib/store/client";
import { readUnknownTimes } from "@/lib/store/queries/list-unknown-since";
import { nameSteps } from "@/lib/store/queries/step-names";

/** A call of which nobody knows whether it happened, until a person settles it. */
export interface UnsettledCall {
  id: string;
  stepId: string;
  /** As the workflow's file names it. */
  stepKey: string;
  agent: string;
  server: string;
  tool: string;
  danger: DangerLevel;
  summary: string;
  /** Redacted. */
  arguments: unknown;
  since: Date;
}

/** More are not listed at once; the first come first. */
const LISTED_MAX = 100;

/** Those of a run, oldest first, also when it is over. They are found by their events: a run may have thousands of calls of which all is known. */
export async function listUnsettledCalls(db: Db, runId: string): Promise<UnsettledCall[]> {
  const since = await readUnknownTimes(db, runId);
  if (since.size === 0) return [];
  const calls = await db.call.findMany({
    where: { id: { in: [...since.keys()] }, status: "outcome_unknown" },
    orderBy: { id: "asc" },
    take: LISTED_MAX,
    select: { id: true, stepId: true, parentCallId: true, agent: true, server: true, tool: true, danger: true, summary: true, arguments: true, step: { select: { key: true } } },
  });
  const nameOf = await nameSteps(db, calls);
  return calls.map((call) => {
    const { step: _step, parentCallId: _parent, ...facts } = call;
    return { ...facts, stepKey: nameOf(call), since: since.get(call.id) ?? new Date(0) };
  });
}

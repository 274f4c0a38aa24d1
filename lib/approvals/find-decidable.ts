/** Finds the approval that a decision is about when it names a run, or one of its steps, and perhaps a call. */
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/database/client";
import { type ApprovalInRun, type ApprovalView, readRunOf, viewsOf } from "@/lib/approvals/queries/get-approval";

export interface DecisionTarget {
  runId: string;
  callId?: string | undefined;
  /** Limits the search to the calls of one step. */
  stepKey?: string | undefined;
}

/**
 * The approval that waits; if none waits, the last decided one, so that deciding it reports who decided. Several
 * waiting approvals are a conflict that lists them.
 */
export async function findDecidable(db: Db, { runId, callId, stepKey }: DecisionTarget): Promise<ApprovalInRun> {
  const run = await readRunOf(db, runId);
  if (!run) throw new KimitsuError("not_found", `There is no run ${runId}.`);
  const asked = viewsOf(run.snapshot).filter((each) => stepKey === undefined || each.stepKey === stepKey);
  if (callId !== undefined) {
    const found = asked.findLast((each) => each.callId === callId);
    if (found) return found;
    throw new KimitsuError("not_found", `Run ${runId} has no call ${callId} that people were asked about.`);
  }
  const pending = asked.filter(({ status }) => status === "pending");
  if (pending.length > 1) throw tooMany(runId, pending);
  const meant = pending[0] ?? asked.at(-1);
  if (meant) return meant;
  const where = stepKey === undefined ? `run ${runId}` : `step ${stepKey} of run ${runId}`;
  throw new KimitsuError("conflict", `No call of ${where} waits for a decision; nothing was decided.`);
}

function tooMany(runId: string, pending: ApprovalView[]): KimitsuError {
  const issues = pending.map(({ callId, server, tool, stepKey, id }) => ({
    path: callId,
    message: `${server}.${tool} of step ${stepKey}, approval ${id}`,
  }));
  const list = issues.map(({ path, message }) => `${path} (${message})`).join("; ");
  return new KimitsuError(
    "conflict",
    `${pending.length} calls of run ${runId} wait for a decision; name one with call_id: ${list}. Nothing was decided.`,
    { issues },
  );
}

/** Which approval a decision is about, when it names a run, or a step of one, and perhaps a call. */
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";
import { type ApprovalView, findApprovalOfCall, listPendingOfRun } from "@/lib/store/queries/get-approval";
import { getRunHead } from "@/lib/store/queries/get-run-head";
import { listApprovals } from "@/lib/store/queries/list-approvals";

export interface DecisionTarget {
  runId: string;
  callId?: string | undefined;
  /** Narrows to the calls of one step. */
  stepKey?: string | undefined;
}

/** The one that waits; the last one that was decided when none does, so that deciding it says by whom. Several are a conflict that lists them. */
export async function findDecidable(db: Db, target: DecisionTarget): Promise<ApprovalView> {
  const { runId, callId, stepKey } = target;
  await getRunHead(db, runId);
  const isMeant = (approval: ApprovalView) => stepKey === undefined || approval.stepKey === stepKey;
  if (callId !== undefined) {
    const found = await findApprovalOfCall(db, callId);
    if (found && found.runId === runId && isMeant(found)) return found;
    throw new KimitsuError("not_found", `Run ${runId} has no call ${callId} that people were asked about.`);
  }
  const pending = (await listPendingOfRun(db, runId)).filter(isMeant);
  if (pending.length > 1) throw tooMany(runId, pending);
  const [only] = pending.length > 0 ? pending : (await listApprovals(db, { runId })).items.filter(isMeant);
  if (only) return only;
  throw new KimitsuError("conflict", `No call of ${stepKey === undefined ? `run ${runId}` : `step ${stepKey} of run ${runId}`} waits for a decision; nothing was decided.`);
}

function tooMany(runId: string, pending: ApprovalView[]): KimitsuError {
  const issues = pending.map(({ callId, server, tool, stepKey, id }) => ({ path: callId, message: `${server}.${tool} of step ${stepKey}, approval ${id}` }));
  const list = issues.map(({ path, message }) => `${path} (${message})`).join("; ");
  return new KimitsuError("conflict", `${pending.length} calls of run ${runId} wait for a decision; name one with call_id: ${list}. Nothing was decided.`, { issues });
}

/**
 * A decision that names a run, perhaps a call or a step of it, and no approval. Where one question alone waits, which is
 * the usual case, it is read together with its run; anything else is looked up first, with an error that lists what waits.
 */
import {
  type DecidedApproval,
  type DecidedBy,
  decideApproval,
  decideQuestion,
  type Verdict,
} from "@/lib/approvals/decide-approval";
import { type DecisionTarget, findDecidable } from "@/lib/approvals/find-decidable";
import { findOnlyQuestion, type Question } from "@/lib/approvals/queries/get-question";
import { RecordChanged } from "@/lib/runs/journal/fold";
import type { Runtime } from "@/lib/runs/runtime";

export interface DecisionInRun extends Verdict {
  target: DecisionTarget;
}

export async function decideInRun(
  deps: Runtime,
  by: DecidedBy,
  { target, ...command }: DecisionInRun,
): Promise<DecidedApproval> {
  const question = await findOnly(deps, target);
  if (question) return decideQuestion(deps, by, { question, command });
  const { id } = await findDecidable(deps.db, target);
  return decideApproval(deps, by, { ...command, approvalId: id });
}

/** Null also where the journal was changed: what is said then comes from the reads that follow. */
async function findOnly({ db }: Runtime, { runId, callId, stepKey }: DecisionTarget): Promise<Question | null> {
  if (stepKey !== undefined) return null;
  try {
    const question = await findOnlyQuestion(db, runId);
    return callId === undefined || question?.view.callId === callId ? question : null;
  } catch (error) {
    if (error instanceof RecordChanged) return null;
    throw error;
  }
}

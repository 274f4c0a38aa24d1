/**
 * What a journal row carries now and then beside its changes, so that a long run is taken up without folding it from
 * its beginning: the run as it stands after that row, without what has ended. Of a step that is settled neither turns
 * nor calls are kept, nothing moves them any more; calls that a person refused are, because a model that asks for the
 * same again is told so. Pure.
 */
import { isCallSettled } from "@/lib/runs/rules/call-state";
import { isStepSettled } from "@/lib/runs/rules/step-state";
import type { ApprovalRow, CallRow, RunRow, RunSnapshot, StepRow, TurnRow } from "@/lib/runs/snapshot";

/** Raised when the form changes; a process that finds another one folds from the beginning. */
const VERSION = 1;

/** JSON. A call names its newest question, which stands among the approvals. */
export interface KeptSnapshot {
  version: number;
  run: RunRow;
  steps: StepRow[];
  turns: [stepId: string, turns: TurnRow[]][];
  calls: (Omit<CallRow, "approval"> & { approval: string | null })[];
  approvals: ApprovalRow[];
}

export function keepSnapshot({ run, steps, turns, calls, approvals }: RunSnapshot): KeptSnapshot {
  const isOpen = (stepId: string) => !isStepSettled(steps.get(stepId)?.status ?? "pending");
  const keptCalls = [...calls.values()].filter((call) => isOpen(call.stepId) || isWanted(call));
  const callIds = new Set(keptCalls.map(({ id }) => id));
  return {
    version: VERSION,
    run,
    steps: [...steps.values()],
    turns: [...turns].filter(([stepId]) => isOpen(stepId)),
    calls: keptCalls.map((call) => ({ ...call, approval: call.approval?.id ?? null })),
    approvals: [...approvals.values()].filter(({ callId, status }) => callIds.has(callId) || status === "pending"),
  };
}

const isWanted = ({ status }: CallRow): boolean => !isCallSettled(status) || status === "rejected";

/** Null for a form that is not known here. */
export function openSnapshot(kept: KeptSnapshot): RunSnapshot | null {
  if (kept.version !== VERSION) return null;
  const approvals = new Map(kept.approvals.map((approval) => [approval.id, approval]));
  const calls = kept.calls.map((call): [string, CallRow] => [
    call.id,
    { ...call, approval: call.approval === null ? null : (approvals.get(call.approval) ?? null) },
  ]);
  return {
    run: kept.run,
    steps: new Map(kept.steps.map((step) => [step.id, step])),
    turns: new Map(kept.turns),
    calls: new Map(calls),
    approvals,
  };
}

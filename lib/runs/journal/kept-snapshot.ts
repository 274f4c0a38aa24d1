/**
 * What a journal row sometimes carries besides its changes, so that a long run can be resumed without folding it from
 * its beginning: the run's state after that row, without what has ended. Turns and calls of a settled step are left
 * out, because nothing changes them any more; rejected calls are kept, because a model that repeats one gets the
 * rejection as its answer. Pure.
 */
import { isCallSettled } from "@/lib/runs/rules/call-state";
import { isStepSettled } from "@/lib/runs/rules/step-state";
import type { ApprovalRow, CallRow, RunRow, RunSnapshot, StepRow, TurnRow } from "@/lib/runs/snapshot";

/** Raised when the format changes; a process that finds another version folds from the beginning. */
const VERSION = 1;

/** JSON. A call names its newest approval, which is among the approvals. */
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

/** Null for an unknown format. */
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

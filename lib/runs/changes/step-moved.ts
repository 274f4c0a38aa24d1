/** A step begins, ends, or waits for a person. */
import { SERVER_AWAY } from "@/lib/runs/rules/call-state";
import { digestOutput } from "@/lib/text/digest";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import type { Change, ChangeKind, EventDraft } from "@/lib/runs/changes/change";
import { moveStep } from "@/lib/runs/changes/move";
import type { RunSnapshot, StepError, StepRow } from "@/lib/runs/snapshot";

export interface StepMove {
  stepId: string;
  key: string;
  to: StepStatus;
  output?: unknown;
  rawOutput?: unknown;
  error?: StepError | null;
  degraded?: boolean;
  state?: object;
}

export interface StepMoved extends Change {
  kind: "step_moved";
  move: StepMove;
}

export const stepMoved: ChangeKind<StepMoved> = {
  kind: "step_moved",
  events: ({ move }) => [stepEvent(move)],
  apply: (snapshot, { move, at }) => applyMove(snapshot, move, at),
};

export function applyMove(snapshot: RunSnapshot, move: StepMove, at: string): void {
  const step = moveStep(snapshot, move.stepId, { to: move.to, at });
  if (move.output !== undefined) step.output = move.output;
  if (move.rawOutput !== undefined) step.rawOutput = move.rawOutput;
  const isWell = move.to === "complete" || move.to === "running";
  step.error = isWell ? null : (move.error ?? withoutWait(step));
  step.degraded ||= move.degraded ?? false;
  step.state = { ...step.state, ...move.state };
}

/** The error of a step, without the placeholder that is there while the step waits for a server. */
export const withoutWait = ({ error }: Pick<StepRow, "error">): StepRow["error"] =>
  error?.code === SERVER_AWAY ? null : error;

export function stepEvent(move: StepMove): EventDraft {
  const { stepId, key, to, error, degraded } = move;
  const data = {
    step: key,
    step_id: stepId,
    ...(error ? { code: error.code, message: error.message } : {}),
    ...(degraded ? { degraded: true } : {}),
    ...(to === "complete" ? { output: digestOutput(move.output) } : {}),
  };
  return { type: `step.${to === "running" ? "started" : to}`, data };
}

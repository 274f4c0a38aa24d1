/** The pause points around a commit at which a test can hold a worker, by the kind of change. */
import { pause, type PausePoint } from "@/lib/pause";
import type { RunChange } from "@/lib/runs/changes/registry";

interface Pauses {
  before: () => Promise<void> | undefined;
  after: () => Promise<void> | undefined;
}

type Places = [before: PausePoint, after: PausePoint, subject: string];

export function pausesOf(change: RunChange): Pauses {
  const found = placesOf(change);
  if (!found) return NONE;
  const [before, after, subject] = found;
  return { before: () => pause(before, subject), after: () => pause(after, subject) };
}

const NONE: Pauses = { before: () => undefined, after: () => undefined };

function placesOf(change: RunChange): Places | null {
  switch (change.kind) {
    case "turn_recorded":
      return ["model-turn:before-result-commit", "model-turn:after-result-commit", change.stepId];
    case "call_executing":
      return ["dispatch-call:before-executing-commit", "dispatch-call:after-executing-commit", change.callId];
    case "call_ended":
      return ["dispatch-call:before-result-commit", "dispatch-call:after-result-commit", change.callId];
    case "call_unknown":
      return ["rescue-run:before-commit", "rescue-run:after-commit", change.callId];
    case "call_asked_again":
      return ["judge-calls:before-commit", "judge-calls:after-commit", change.call.id];
    case "step_moved":
      return ["settle-step:before-commit", "settle-step:after-commit", change.move.stepId];
    default:
      return null;
  }
}

/** A step whose agent cannot list its tools keeps its status, and says why nothing happens. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { stepOf } from "@/lib/runs/changes/move";
import type { ServerWait } from "@/lib/runs/snapshot";

export interface StepDelayed extends Change {
  kind: "step_delayed";
  stepId: string;
  key: string;
  wait: ServerWait;
}

export const stepDelayed: ChangeKind<StepDelayed> = {
  kind: "step_delayed",
  events: ({ stepId, key, wait: { code, tries, until } }) => [
    { type: "step.delayed", data: { step: key, step_id: stepId, code, tries, until } },
  ],
  apply(snapshot, { stepId, wait }) {
    stepOf(snapshot, stepId).error = wait;
  },
};

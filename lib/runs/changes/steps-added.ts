/** Adds the items of a fan-out, or the steps of a sub-workflow or sub-agent, below a step. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { addStep, type NewStep } from "@/lib/runs/changes/run-created";

export interface StepsAdded extends Change {
  kind: "steps_added";
  steps: NewStep[];
}

export const stepsAdded: ChangeKind<StepsAdded> = {
  kind: "steps_added",
  events: () => [],
  apply(snapshot, { steps }) {
    for (const step of steps) addStep(snapshot, step);
  },
};

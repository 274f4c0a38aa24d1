/** A person's review of an agent's output: accepted, so the step proceeds to its checks, or refused, so it fails. */
import type { Actor } from "@/lib/people/rules/actor";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { moveStep } from "@/lib/runs/changes/move";

export interface StepReviewed extends Change {
  kind: "step_reviewed";
  stepId: string;
  accepted: boolean;
  comment: string | null;
  actor: Actor;
}

export const stepReviewed: ChangeKind<StepReviewed> = {
  kind: "step_reviewed",
  events: ({ stepId, accepted, comment, actor }) => [
    { type: "step.reviewed", actor, data: { step_id: stepId, accepted, comment } },
  ],
  apply(snapshot, { stepId, accepted, comment, at }) {
    const step = moveStep(snapshot, stepId, { to: "running", at });
    step.state = { ...step.state, review: accepted ? "accepted" : "refused", review_comment: comment };
  },
};

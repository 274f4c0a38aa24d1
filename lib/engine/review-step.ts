/** A person accepts an answer that an agent wanted seen, or ends the run. */
import type { Actor } from "@/lib/domain/actor";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import type { StartDeps } from "@/lib/engine/start-run";
import { KimitsuError } from "@/lib/errors";
import { findReviewStep } from "@/lib/store/queries/find-review-step";
import { reviewStepRow } from "@/lib/store/transitions/review-step";
import { followAct } from "@/lib/telemetry/tell-run";

export async function reviewStep(deps: StartDeps, actor: Actor, wish: { runId: string; accepted: boolean; comment?: string }): Promise<void> {
  refuseKnownSecrets(deps.projects.current().project, deps.processEnv, { path: "comment", what: "The comment", value: wish.comment });
  const step = await findReviewStep(deps.db, wish.runId);
  const review = step && { runId: wish.runId, stepId: step.id, accepted: wish.accepted, comment: wish.comment ?? null };
  const done = review && (await followAct("review step", wish.runId, () => reviewStepRow(deps.db, review, actor, deps.now())));
  if (!done) throw new KimitsuError("conflict", `No answer of run ${wish.runId} waits for a review; nothing was changed.`);
  deps.wake(wish.runId);
}

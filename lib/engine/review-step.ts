/**
 * A person accepts an answer that an agent wanted seen, or ends the run. Where several wait the wish names one of them; where it says what was
 * seen, another answer of the same step is a conflict.
 */
import type { Actor } from "@/lib/domain/actor";
import { digestOutput } from "@/lib/domain/digest";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import type { StartDeps } from "@/lib/engine/start-run";
import { KimitsuError } from "@/lib/errors";
import { listReviewSteps, type ReviewStep } from "@/lib/store/queries/list-review-steps";
import { reviewStepRow } from "@/lib/store/transitions/review-step";
import { followAct } from "@/lib/telemetry/tell-run";

export interface ReviewWish {
  runId: string;
  accepted: boolean;
  comment?: string | undefined;
  /** May be left out while one answer waits. */
  stepId?: string | undefined;
  /** Of the answer as it was shown. */
  digest?: string | undefined;
}

export async function reviewStep(deps: StartDeps, actor: Actor, wish: ReviewWish): Promise<void> {
  refuseKnownSecrets(deps.projects.current().project, deps.processEnv, { path: "comment", what: "The comment", value: wish.comment });
  const step = choose(wish, await listReviewSteps(deps.db, wish.runId, wish.stepId));
  if (wish.digest !== undefined && wish.digest !== digestOutput(step.rawOutput)) {
    throw new KimitsuError("conflict", `The answer of step ${step.name} is not the one you saw: the agent has given another one since. Look again, then decide. Nothing was changed.`);
  }
  const review = { runId: wish.runId, stepId: step.id, seenOutput: step.rawOutput, accepted: wish.accepted, comment: wish.comment ?? null };
  const done = await followAct("review step", wish.runId, () => reviewStepRow(deps.db, review, actor, deps.now()));
  if (!done) throw new KimitsuError("conflict", `The answer of step ${step.name} of run ${wish.runId} waits for a review no more; nothing was changed.`);
  deps.wake(wish.runId);
}

function choose({ runId, stepId }: ReviewWish, waiting: readonly ReviewStep[]): ReviewStep {
  const [only, ...others] = waiting;
  if (!only) throw new KimitsuError("conflict", `No answer of ${stepId === undefined ? "" : `step ${stepId} of `}run ${runId} waits for a review; nothing was changed.`);
  if (others.length === 0) return only;
  const issues = waiting.map(({ id, name }) => ({ path: id, message: `step ${name}` }));
  const list = issues.map(({ path, message }) => `${path} (${message})`).join("; ");
  throw new KimitsuError("conflict", `${waiting.length} answers of run ${runId} wait for a review; name one with step_id: ${list}. Nothing was changed.`, { issues });
}

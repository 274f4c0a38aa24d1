/** A person's word on an output that an agent wanted seen: accepted, so the step goes on to its checks, or not, so it fails. */
import type { Actor } from "@/lib/domain/actor";
import type { Db } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";

export interface Review {
  runId: string;
  stepId: string;
  /** The answer that is spoken of; another one on the row means that it was not seen. */
  seenOutput: unknown;
  accepted: boolean;
  comment: string | null;
}

export async function reviewStepRow(db: Db, review: Review, actor: Actor, at: Date): Promise<boolean> {
  const data = { step_id: review.stepId, accepted: review.accepted, comment: review.comment };
  const event = insertEvent({ chainId: review.runId, type: "step.reviewed", at, actor, data }, "moved");
  await pause("review-run:before-commit", review.runId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH open_run AS MATERIALIZED (
      SELECT id FROM runs WHERE id = ${review.runId} AND status NOT IN ('complete', 'failed', 'cancelled') FOR UPDATE
    ), moved AS (
      UPDATE steps SET status = 'running', state = state || jsonb_build_object('review', ${review.accepted ? "accepted" : "refused"}::text, 'review_comment', ${review.comment}::text)
      FROM open_run WHERE steps.id = ${review.stepId} AND steps.run_id = open_run.id AND steps.status = 'needs_human_review'
        AND steps.raw_output IS NOT DISTINCT FROM ${JSON.stringify(review.seenOutput)}::jsonb
      RETURNING steps.id
    ), woken AS (
      UPDATE runs SET wakes = wakes + 1, wake_at = ${at}, updated_at = ${at} FROM moved WHERE runs.id = ${review.runId}
    ), logged AS (${event})
    SELECT id FROM moved`;
  await pause("review-run:after-commit", review.runId);
  return rows.length > 0;
}

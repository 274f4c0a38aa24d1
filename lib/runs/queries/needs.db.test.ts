import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { cancelRun } from "@/lib/runs/cancel-run";
import { reviewStep } from "@/lib/runs/review-step";
import { settleCall } from "@/lib/runs/settle-call";
import { listRuns } from "@/lib/runs/queries/list-runs";
import { countNeeds, type Need } from "@/lib/runs/queries/needs";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { REVIEWER_ACTOR, TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();
const UNKNOWN = {
  script:
    "agents:\n  worker:\n    turns:\n      - call: [{ tool: drop-after, arguments: { n: 1 } }]\n    otherwise: { output: {} }\n",
  allowlist: "- drop-after",
};
const REVIEW = {
  script: "agents:\n  worker:\n    turns:\n      - output: { ktsu_needs_human: look, refund: 35 }\n",
  allowlist: "- echo",
};

test(
  verifies(
    "needs:count",
    "runs with an answer to review or a call to settle are counted and listed until a person has acted; an ended run with an unsettled call stays",
  ),
  async () => {
    const { db } = database;
    const listed = async (...needs: Need[]) => (await listRuns(db, { needs })).items.map(({ id }) => id);
    expect(await countNeeds(db)).toEqual({ review: 0, settle: 0, either: 0 });
    const [unknown, review] = [await openEngineBench(database, UNKNOWN), await openEngineBench(database, REVIEW)];
    const [settled, cancelled, reviewed] = [await unknown.launch(), await unknown.launch(), await review.launch()];
    expect(await countNeeds(db)).toEqual({ review: 1, settle: 2, either: 3 });
    expect(await listed("review")).toEqual([reviewed]);
    expect(await listed("settle")).toEqual([cancelled, settled]);
    expect(await listed("review", "settle")).toEqual([reviewed, cancelled, settled]);
    expect(
      (await listRuns(db, { needs: ["review", "settle"], limit: 1, cursor: reviewed })).items.map(({ id }) => id),
      "page by page",
    ).toEqual([cancelled]);

    await cancelRun(unknown.deps, TEST_ACTOR, { runId: cancelled });
    expect(await countNeeds(db), "nobody knows yet what the cancelled run has done").toEqual({
      review: 1,
      settle: 2,
      either: 3,
    });
    for (const runId of [settled, cancelled])
      await settleCall(unknown.deps, TEST_ACTOR, {
        callId: (await db.call.findFirstOrThrow({ where: { runId } })).id,
        outcome: "failed",
      });
    await reviewStep(review.deps, REVIEWER_ACTOR, { runId: reviewed, accepted: true });
    expect(await countNeeds(db)).toEqual({ review: 0, settle: 0, either: 0 });
    expect(await listed("review", "settle")).toEqual([]);
  },
);

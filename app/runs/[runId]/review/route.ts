import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/people/session/principal";
import { reviewStep } from "@/lib/runs/review-step";
import { runtime } from "@/lib/runs/runtime";
import { reviewRun } from "@/lib/http/schemas/runs";
import { getRunHead } from "@/lib/runs/queries/get-run-head";

export const POST = route(
  reviewRun,
  async ({ params: { runId }, body: { step_id: stepId, ...command }, principal }) => {
    const deps = runtime();
    await getRunHead(deps.db, runId);
    await reviewStep(deps, actorOf(callerOf(principal)), { runId, stepId, ...command });
    return { data: { run_id: runId, status: (await getRunHead(deps.db, runId)).status } };
  },
);

import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/auth/principal";
import { reviewStep } from "@/lib/engine/review-step";
import { runtime } from "@/lib/engine/runtime";
import { reviewRun } from "@/lib/http/schemas/runs";
import { getRunHead } from "@/lib/store/queries/get-run-head";

export const POST = route(reviewRun, async ({ params: { runId }, body: { step_id: stepId, ...wish }, principal }) => {
  const deps = runtime();
  await getRunHead(deps.db, runId);
  await reviewStep(deps, actorOf(callerOf(principal)), { runId, stepId, ...wish });
  return { data: { run_id: runId, status: (await getRunHead(deps.db, runId)).status } };
});

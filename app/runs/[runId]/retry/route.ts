import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/people/session/principal";
import { answerOnce } from "@/lib/runs/answer-once";
import { retryRun as retry } from "@/lib/runs/retry-run";
import { runtime } from "@/lib/runs/runtime";
import { readRequestKey, requesterOf } from "@/lib/http/idempotency";
import { retryRun } from "@/lib/http/schemas/runs";

export const POST = route(retryRun, async ({ params: { runId }, body, principal, request }) => {
  const caller = callerOf(principal);
  const once = readRequestKey(request, retryRun, { principal: requesterOf(caller), asked: { runId, body } });
  const data = await answerOnce(runtime(), once, async (deps) => ({
    run_id: (await retry(deps, actorOf(caller), { runId, ...body })).runId,
  }));
  return { data };
});

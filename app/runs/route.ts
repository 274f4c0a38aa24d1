import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toRunFilter } from "@/app/runs/run-query";
import { actorOf } from "@/lib/people/session/principal";
import { answerOnce } from "@/lib/runs/answer-once";
import { engineDeps } from "@/lib/database/deps";
import { toSummary } from "@/lib/runs/run-envelope";
import { runtime } from "@/lib/runs/runtime";
import { startRun as start } from "@/lib/runs/start-run";
import { readRequestKey, requesterOf } from "@/lib/http/idempotency";
import { listRuns, startRun } from "@/lib/http/schemas/runs";
import { listRuns as readRuns } from "@/lib/runs/queries/list-runs";

export const GET = route(listRuns, async ({ query }) => {
  const page = await readRuns(engineDeps().db, { ...toRunFilter(query), cursor: query.cursor, limit: query.limit });
  return { data: { items: page.items.map(toSummary), next_cursor: page.nextCursor } };
});

export const POST = route(startRun, async ({ body, principal, request }) => {
  const caller = callerOf(principal);
  const once = readRequestKey(request, startRun, { principal: requesterOf(caller), asked: body });
  const data = await answerOnce(runtime(), once, async (deps) => ({
    run_id: (await start(deps, { ...body, actor: actorOf(caller) })).runId,
  }));
  return { data };
});

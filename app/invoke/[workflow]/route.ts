import { route } from "@/app/api-route";
import { actorOf } from "@/lib/people/session/principal";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import { answerOnce } from "@/lib/runs/answer-once";
import { authenticateInvoke } from "@/lib/runs/authenticate-invoke";
import { runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
import { readRequestKey, requesterOf } from "@/lib/http/idempotency";
import { countRequest } from "@/lib/http/request-limits";
import { invokeWorkflow } from "@/lib/http/schemas/runs";

export const POST = route(invokeWorkflow, async ({ params: { workflow }, body, request, signIn }) => {
  const deps = runtime();
  const proven = await authenticateInvoke(deps, {
    workflow,
    headers: request.headers,
    address: request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown",
  });
  if (proven) countRequest(proven.id);
  const principal = proven ? null : await signIn();
  const actor = proven ?? actorOf(principal!);
  const once = readRequestKey(request, invokeWorkflow, {
    principal: principal ? requesterOf(principal) : actor.id,
    asked: { workflow, body },
  });
  const data = await answerOnce(deps, once, async (own) => ({
    run_id: (await startRun(own, { workflow, params: body, actor })).runId,
  }));
  return { data };
});

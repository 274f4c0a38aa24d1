import { route } from "@/app/api-route";
import { actorOf } from "@/lib/auth/principal";
import { CLIENT_ADDRESS_HEADER } from "@/lib/auth/client-address";
import { answerOnce } from "@/lib/engine/answer-once";
import { authenticateInvoke } from "@/lib/engine/authenticate-invoke";
import { runtime } from "@/lib/engine/runtime";
import { startRun } from "@/lib/engine/start-run";
import { readRequestKey, requesterOf } from "@/lib/http/idempotency";
import { countRequest } from "@/lib/http/request-limits";
import { invokeWorkflow } from "@/lib/http/schemas/runs";

export const POST = route(invokeWorkflow, async ({ params: { workflow }, body, request, signIn }) => {
  const deps = runtime();
  const proven = await authenticateInvoke(deps, { workflow, headers: request.headers, address: request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown" });
  if (proven) countRequest(proven.id);
  const principal = proven ? null : await signIn();
  const actor = proven ?? actorOf(principal!);
  const once = readRequestKey(request, invokeWorkflow, principal ? requesterOf(principal) : actor.id, { workflow, body });
  const data = await answerOnce(deps, once, async (own) => ({ run_id: (await startRun(own, { workflow, params: body, actor })).runId }));
  return { data };
});

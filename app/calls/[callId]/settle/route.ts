import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/auth/principal";
import { runtime } from "@/lib/engine/runtime";
import { settleCall as settle } from "@/lib/engine/settle-call";
import { settleCall } from "@/lib/http/schemas/calls";
import { getCallHead } from "@/lib/store/queries/get-call-head";

export const POST = route(settleCall, async ({ params: { callId }, body, principal }) => {
  const deps = runtime();
  await settle(deps, actorOf(callerOf(principal)), { callId, ...body });
  const { runId, status } = await getCallHead(deps.db, callId);
  return { data: { call_id: callId, run_id: runId, status } };
});

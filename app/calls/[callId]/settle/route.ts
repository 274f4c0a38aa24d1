import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/people/session/principal";
import { runtime } from "@/lib/runs/runtime";
import { settleCall as settle } from "@/lib/runs/settle-call";
import { settleCall } from "@/lib/http/schemas/calls";

export const POST = route(settleCall, async ({ params: { callId }, body, principal }) => {
  const { runId, status } = await settle(runtime(), actorOf(callerOf(principal)), { callId, ...body });
  return { data: { call_id: callId, run_id: runId, status } };
});

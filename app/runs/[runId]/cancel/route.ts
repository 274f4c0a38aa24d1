import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/people/session/principal";
import { cancelRun as cancel } from "@/lib/runs/cancel-run";
import { runtime } from "@/lib/runs/runtime";
import { cancelRun } from "@/lib/http/schemas/runs";

export const POST = route(cancelRun, async ({ params: { runId }, body, principal }) => {
  await cancel(runtime(), actorOf(callerOf(principal)), { runId, ...body });
  return { data: { run_id: runId, status: "cancelled" as const } };
});

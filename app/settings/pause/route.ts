import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { actorOf } from "@/lib/people/session/principal";
import { engineDeps } from "@/lib/database/deps";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { getPause, setPause } from "@/lib/http/schemas/settings";
import { isDispatchPaused } from "@/lib/runs/queries/is-dispatch-paused";

export const GET = route(getPause, async () => ({ data: { paused: await isDispatchPaused(engineDeps().db) } }));

export const POST = route(setPause, async ({ body, principal }) => {
  await pauseDispatch(engineDeps(), actorOf(callerOf(principal)), body.paused);
  return { data: { paused: body.paused } };
});

import { route } from "@/app/api-route";
import { toCall } from "@/lib/runs/call-envelope";
import { engineDeps } from "@/lib/database/deps";
import { getCall } from "@/lib/http/schemas/calls";
import { getCall as readCall } from "@/lib/runs/queries/list-calls";

export const GET = route(getCall, async ({ params: { callId } }) => ({
  data: toCall(await readCall(engineDeps().db, callId)),
}));

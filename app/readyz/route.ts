import { route } from "@/app/api-route";
import { getReadiness } from "@/lib/http/schemas/health";
import { engineDeps } from "@/lib/engine/deps";
import { getReadiness as readReadiness } from "@/lib/store/queries/get-readiness";

export const GET = route(getReadiness, async () => {
  const state = await readReadiness(engineDeps().db, new Date());
  const ready = state.database === "ok" && state.worker === "ok";
  return { status: ready ? 200 : 503, data: { status: ready ? ("ready" as const) : ("not_ready" as const), ...state } };
});

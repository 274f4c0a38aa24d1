import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/database/deps";
import { readReadiness } from "@/lib/runs/read-readiness";
import { getReadiness } from "@/lib/http/schemas/health";

export const GET = route(getReadiness, async () => {
  const state = await readReadiness(engineDeps());
  const ready = state.database === "ok" && state.worker === "ok";
  return { status: ready ? 200 : 503, data: { status: ready ? ("ready" as const) : ("not_ready" as const), ...state } };
});

import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/database/deps";
import { readMetrics } from "@/lib/runs/read-metrics";
import { getMetrics } from "@/lib/http/schemas/health";

export const GET = route(getMetrics, async () => {
  const { text, contentType } = await readMetrics(engineDeps());
  return new Response(text, { headers: { "content-type": contentType, "cache-control": "no-store" } });
});

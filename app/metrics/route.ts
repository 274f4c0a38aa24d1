import { route } from "@/app/api-route";
import { metrics } from "@/lib/http/metrics";
import { getMetrics } from "@/lib/http/schemas/health";

export const GET = route(getMetrics, async () => {
  const { registry } = metrics();
  return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType, "cache-control": "no-store" } });
});

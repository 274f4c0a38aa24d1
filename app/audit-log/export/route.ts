import { route } from "@/app/api-route";
import { exportAuditLog } from "@/lib/http/schemas/audit-log";
import { engineDeps } from "@/lib/engine/deps";
import { streamEvents } from "@/lib/store/queries/list-events";
import { toFilter, toWire } from "../trail";

export const GET = route(exportAuditLog, async ({ query }) => {
  const events = streamEvents(engineDeps().db, toFilter(query));
  const lines = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await events.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(`${JSON.stringify(toWire(value))}\n`));
    },
    cancel: () => void events.return(undefined),
  });
  const headers = { "content-type": "application/jsonl", "content-disposition": 'attachment; filename="kimitsu-audit.jsonl"', "cache-control": "no-store" };
  return new Response(lines, { headers });
});

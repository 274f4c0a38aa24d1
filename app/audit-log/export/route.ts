import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { exportAuditLog } from "@/lib/http/schemas/audit-log";
import { streamLines } from "@/lib/http/stream-lines";
import { engineDeps } from "@/lib/database/deps";
import { streamEvents } from "@/lib/audit/queries/list-events";
import { toFilter, toWire } from "../trail";

export const GET = route(exportAuditLog, async ({ query, principal, request }) => {
  async function* lines() {
    for await (const event of streamEvents(engineDeps().db, toFilter(query)))
      yield `${JSON.stringify(toWire(event))}\n`;
  }
  return streamLines(lines(), {
    contentType: "application/jsonl",
    fileName: "kimitsu-audit.jsonl",
    userId: callerOf(principal).user.id,
    request,
  });
});

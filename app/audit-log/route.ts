import { route } from "@/app/api-route";
import { listAuditLog } from "@/lib/http/schemas/audit-log";
import { engineDeps } from "@/lib/database/deps";
import { listEvents } from "@/lib/audit/queries/list-events";
import { toFilter, toWire } from "./trail";

export const GET = route(listAuditLog, async ({ query }) => {
  const page = await listEvents(engineDeps().db, { ...toFilter(query), cursor: query.cursor, limit: query.limit });
  return { data: { items: page.items.map(toWire), next_cursor: page.nextCursor } };
});

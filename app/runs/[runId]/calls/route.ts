import { route } from "@/app/api-route";
import { toCall } from "@/lib/runs/call-envelope";
import { engineDeps } from "@/lib/database/deps";
import { listRunCalls } from "@/lib/http/schemas/calls";
import { getRunHead } from "@/lib/runs/queries/get-run-head";
import { listCalls } from "@/lib/runs/queries/list-calls";

export const GET = route(listRunCalls, async ({ params: { runId }, query }) => {
  const { db } = engineDeps();
  await getRunHead(db, runId);
  const page = await listCalls(db, { runId, ...query });
  return { data: { items: page.items.map(toCall), next_cursor: page.nextCursor } };
});

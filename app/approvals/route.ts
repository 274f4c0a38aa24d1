import { route } from "@/app/api-route";
import { toApprovals } from "@/lib/approvals/approval-envelope";
import { engineDeps } from "@/lib/database/deps";
import { listApprovals } from "@/lib/http/schemas/approvals";
import { listApprovals as readApprovals } from "@/lib/approvals/queries/list-approvals";

export const GET = route(listApprovals, async ({ query: { run, ...query } }) => {
  const page = await readApprovals(engineDeps().db, { ...query, runId: run });
  return { data: { items: await toApprovals(engineDeps(), page.items), next_cursor: page.nextCursor } };
});

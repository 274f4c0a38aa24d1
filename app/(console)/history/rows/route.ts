import { can, findSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { isId } from "@/lib/ids";
import { listHistory } from "@/lib/runs/queries/list-history";
import { readHistoryQuery, toHistoryFilter } from "../filter";
import { toListedPage } from "../listed-page";

export const dynamic = "force-dynamic";

/** The next rows of History, for a scrolled table: the page itself would include its frame. */
export async function GET(request: Request): Promise<Response> {
  const session = await findSession();
  if (!session || !can(session, "runs:read")) return new Response(null, { status: 401 });
  const params = Object.fromEntries(new URL(request.url).searchParams);
  const { db, now } = engineDeps();
  const clock = now();
  const cursor = params.cursor !== undefined && isId("run", params.cursor) ? params.cursor : undefined;
  const page = await listHistory(db, {
    ...toHistoryFilter(readHistoryQuery(params), clock).filter,
    cursor,
    now: clock,
    isFolded: true,
  });
  return Response.json(toListedPage(page), { headers: { "cache-control": "no-store" } });
}

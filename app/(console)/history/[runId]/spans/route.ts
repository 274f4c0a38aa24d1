import { z } from "zod";
import { can, findSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { isId } from "@/lib/ids";
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { loadSpans } from "../load-run";
import { toLaneSpans } from "../timeline";

export const dynamic = "force-dynamic";

const windowSchema = z.object({
  from: z.coerce.number().int().min(0).max(8.64e15),
  to: z.coerce.number().int().min(0).max(8.64e15),
});

/** A part of "where the time went", for a zoomed timeline: the narrower it is, the more detail it has. */
export async function GET(request: Request, { params }: RouteContext<"/history/[runId]/spans">): Promise<Response> {
  const session = await findSession();
  if (!session || !can(session, "runs:read")) return new Response(null, { status: 401 });
  const { runId } = await params;
  const { db, now } = engineDeps();
  const run = isId("run", runId) ? await findRunPage(db, runId, now()) : null;
  if (!run) return new Response(null, { status: 404 });
  const asked = windowSchema.safeParse(Object.fromEntries(new URL(request.url).searchParams));
  if (!asked.success) return new Response(null, { status: 422 });
  const spans = await loadSpans(run, { from: new Date(asked.data.from), to: new Date(asked.data.to) });
  return Response.json(toLaneSpans(spans), { headers: { "cache-control": "no-store" } });
}

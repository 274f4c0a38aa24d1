import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/database/deps";
import { toEnvelope } from "@/lib/runs/run-envelope";
import { getRun } from "@/lib/http/schemas/runs";
import { getRun as readRun } from "@/lib/runs/queries/get-run";

export const GET = route(getRun, async ({ params, request, signIn }) => {
  // A person who opens the link in a browser wants the page, which has a sign-in of its own.
  if (request.headers.get("accept")?.includes("text/html")) {
    return new Response(null, {
      status: 307,
      headers: {
        location: `/history/${encodeURIComponent(params.runId)}`,
        vary: "accept",
        "cache-control": "no-store",
      },
    });
  }
  await signIn();
  return { data: toEnvelope(await readRun(engineDeps().db, params.runId)) };
});

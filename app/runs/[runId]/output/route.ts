import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/database/deps";
import { getRunOutput } from "@/lib/http/schemas/runs";
import { getRun } from "@/lib/runs/queries/get-run";

export const GET = route(getRunOutput, async ({ params }) => {
  const { id, status, output } = await getRun(engineDeps().db, params.runId);
  return { data: { run_id: id, status, output: output ?? null } };
});

import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/database/deps";
import { toEnvelope } from "@/lib/runs/run-envelope";
import { getRunEnvelope } from "@/lib/http/schemas/runs";
import { getRun } from "@/lib/runs/queries/get-run";

export const GET = route(getRunEnvelope, async ({ params }) => ({
  data: toEnvelope(await getRun(engineDeps().db, params.runId)),
}));

import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/engine/deps";
import { toEnvelope } from "@/lib/engine/run-envelope";
import { getRunEnvelope } from "@/lib/http/schemas/runs";
import { getRun } from "@/lib/store/queries/get-run";

export const GET = route(getRunEnvelope, async ({ params }) => ({ data: toEnvelope(await getRun(engineDeps().db, params.runId)) }));

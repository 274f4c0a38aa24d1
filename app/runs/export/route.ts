import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { CSV_HEAD, toCsvLine } from "@/app/runs/export/to-csv";
import { toRunFilter } from "@/app/runs/run-query";
import { engineDeps } from "@/lib/database/deps";
import { toSummary } from "@/lib/runs/run-envelope";
import { exportRuns } from "@/lib/http/schemas/runs";
import { streamLines } from "@/lib/http/stream-lines";
import { streamRuns } from "@/lib/runs/queries/list-runs";

const CONTENT_TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl" } as const;

export const GET = route(exportRuns, async ({ query, principal, request }) => {
  const { format } = query;
  const runs = streamRuns(engineDeps().db, toRunFilter(query));
  async function* lines() {
    if (format === "csv") yield CSV_HEAD;
    for await (const run of runs)
      yield format === "csv" ? toCsvLine(toSummary(run)) : `${JSON.stringify(toSummary(run))}\n`;
  }
  return streamLines(lines(), {
    contentType: CONTENT_TYPES[format],
    fileName: `kimitsu-runs.${format}`,
    userId: callerOf(principal).user.id,
    request,
  });
});

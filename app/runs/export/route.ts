import { route } from "@/app/api-route";
import { CSV_HEAD, toCsvLine } from "@/app/runs/export/to-csv";
import { toRunFilter } from "@/app/runs/run-query";
import { engineDeps } from "@/lib/engine/deps";
import { toSummary } from "@/lib/engine/run-envelope";
import { exportRuns } from "@/lib/http/schemas/runs";
import { streamLines } from "@/lib/http/stream-lines";
import { streamRuns } from "@/lib/store/queries/list-runs";

const CONTENT_TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl" } as const;

export const GET = route(exportRuns, async ({ query }) => {
  const { format } = query;
  const runs = streamRuns(engineDeps().db, toRunFilter(query));
  async function* lines() {
    if (format === "csv") yield CSV_HEAD;
    for await (const run of runs) yield format === "csv" ? toCsvLine(toSummary(run)) : `${JSON.stringify(toSummary(run))}\n`;
  }
  return streamLines(lines(), { contentType: CONTENT_TYPES[format], fileName: `kimitsu-runs.${format}` });
});

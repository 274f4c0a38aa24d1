import type { RunFilter } from "@/lib/runs/queries/run-filter";

interface RunQuery extends Pick<RunFilter, "workflow" | "status" | "needs" | "agent" | "who" | "via" | "session"> {
  q?: string;
  from?: string;
  to?: string;
  cost_min?: number;
  cost_max?: number;
}

/** The filter that a query of the API asks for. */
export function toRunFilter({
  workflow,
  status,
  needs,
  agent,
  who,
  via,
  session,
  q,
  from,
  to,
  cost_min: costMin,
  cost_max: costMax,
}: RunQuery): RunFilter {
  return {
    workflow,
    status,
    needs,
    agent,
    who,
    via,
    session,
    text: q,
    from: from ? new Date(from) : undefined,
    to: to ? new Date(to) : undefined,
    costMin,
    costMax,
  };
}

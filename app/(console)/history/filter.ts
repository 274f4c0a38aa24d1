import { RUN_STATUSES } from "@/components/runs/run-words";
import type { HistoryFilter } from "@/lib/store/queries/list-history";
import { oneText } from "../search-params";

/** What the address asks for, as typed. */
export interface HistoryQuery {
  workflow?: string;
  status?: string;
  agent?: string;
  who?: string;
  from?: string;
  to?: string;
  q?: string;
}

const NAMES = ["q", "status", "workflow", "agent", "who", "from", "to"] as const;

export function readHistoryQuery(params: Record<string, string | string[] | undefined>): HistoryQuery {
  return Object.fromEntries(NAMES.map((name) => [name, oneText(params[name])]));
}

export function isFiltered(query: HistoryQuery): boolean {
  return NAMES.some((name) => query[name] !== undefined);
}

/** Times in the address are UTC. What cannot be read is reported and left out, never guessed. */
export function toHistoryFilter(query: HistoryQuery): { filter: HistoryFilter; problems: string[] } {
  const problems: string[] = [];
  const time = (name: "from" | "to"): Date | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    const at = new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : text.includes("T") ? `${text}Z` : `${text}T00:00Z`);
    if (!Number.isNaN(at.getTime())) return at;
    problems.push(`“${name}” is not a time: ${text}. Write it as 2026-01-31T09:30.`);
    return undefined;
  };
  const status = RUN_STATUSES.find((known) => known === query.status);
  if (query.status !== undefined && status === undefined) problems.push(`There is no status “${query.status}”. A run is one of: ${RUN_STATUSES.join(", ")}.`);
  return { filter: { workflow: query.workflow, status, agent: query.agent, who: query.who, from: time("from"), to: time("to"), text: query.q }, problems };
}

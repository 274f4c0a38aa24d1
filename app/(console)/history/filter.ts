import { RUN_STATUSES } from "@/components/runs/run-words";
import type { Need } from "@/lib/runs/queries/needs";
import type { RunFilter, RunVia } from "@/lib/runs/queries/run-filter";
import { addressWith, oneText } from "../search-params";

/** What the address asks for, as typed. */
export interface HistoryQuery {
  q?: string;
  status?: string;
  workflow?: string;
  agent?: string;
  who?: string;
  /** Calls of MCP clients, or runs of workflows. */
  via?: string;
  /** The session of an MCP client; its calls are then listed one by one. */
  session?: string;
  /** Counted back from now, so that a saved view moves with the time. */
  last?: string;
  from?: string;
  to?: string;
  cost_min?: string;
  cost_max?: string;
}

const NAMES = [
  "q",
  "status",
  "workflow",
  "agent",
  "who",
  "via",
  "session",
  "last",
  "from",
  "to",
  "cost_min",
  "cost_max",
] as const satisfies readonly (keyof HistoryQuery)[];
const HOUR_MS = 3_600_000;

/** What can be chosen beside a status: runs that need a person outside the inbox, whatever their status. */
export const NEED_CHOICES: Readonly<Record<string, { label: string; needs: readonly Need[] }>> = {
  to_review_or_settle: { label: "To review or settle", needs: ["review", "settle"] },
  to_review: { label: "To review", needs: ["review"] },
  to_settle: { label: "To settle", needs: ["settle"] },
};

export const VIA_CHOICES: Readonly<Record<RunVia, string>> = { workflow: "Workflows", mcp: "MCP clients" };

export const PERIODS: Readonly<Record<string, { label: string; ms: number }>> = {
  "1h": { label: "Last hour", ms: HOUR_MS },
  "24h": { label: "Last 24 hours", ms: 24 * HOUR_MS },
  "7d": { label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
  "30d": { label: "Last 30 days", ms: 30 * 24 * HOUR_MS },
};

export function readHistoryQuery(params: Record<string, string | string[] | undefined>): HistoryQuery {
  return Object.fromEntries(NAMES.map((name) => [name, oneText(params[name])]));
}

export function isFiltered(query: HistoryQuery): boolean {
  return NAMES.some((name) => query[name] !== undefined);
}

/** The same filters always give the same text, in whatever order they were typed: it identifies a saved view. */
export function formatHistoryQuery(query: HistoryQuery): string {
  return addressWith("", Object.fromEntries(NAMES.map((name) => [name, query[name]]))).slice(1);
}

/**
 * Times in the address have their zone, or are UTC; the page puts it there. What cannot be read is reported and left
 * out, never guessed.
 */
export function toHistoryFilter(query: HistoryQuery, now: Date): { filter: RunFilter; problems: string[] } {
  const problems: string[] = [];
  const time = (name: "from" | "to"): Date | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    const at = new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : text.includes("T") ? `${text}Z` : `${text}T00:00Z`);
    if (!Number.isNaN(at.getTime())) return at;
    problems.push(`“${name}” is not a time: ${text}. Write it as 2026-01-31T09:30.`);
    return undefined;
  };
  const cost = (name: "cost_min" | "cost_max"): number | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    if (/^\d{1,7}(\.\d{1,6})?$/.test(text)) return Number(text);
    problems.push(`“${name}” is not an amount: ${text}. Write it in US dollars, as 0.25.`);
    return undefined;
  };
  const status = RUN_STATUSES.find((known) => known === query.status);
  const need =
    query.status !== undefined && Object.hasOwn(NEED_CHOICES, query.status) ? NEED_CHOICES[query.status] : undefined;
  if (query.status !== undefined && !status && !need)
    problems.push(
      `There is no status “${query.status}”. A run is one of: ${[...RUN_STATUSES, ...Object.keys(NEED_CHOICES)].join(", ")}.`,
    );
  const via = (Object.keys(VIA_CHOICES) as RunVia[]).find((known) => known === query.via);
  if (query.via !== undefined && !via)
    problems.push(`“via” is not a way: ${query.via}. It is one of: ${Object.keys(VIA_CHOICES).join(", ")}.`);
  const period = query.last !== undefined && Object.hasOwn(PERIODS, query.last) ? PERIODS[query.last] : undefined;
  if (query.last !== undefined && period === undefined)
    problems.push(`“last” is not a period: ${query.last}. It is one of: ${Object.keys(PERIODS).join(", ")}.`);
  const since = period ? new Date(now.getTime() - period.ms) : undefined;
  const from = time("from");
  return {
    filter: {
      workflow: query.workflow,
      status: status ? [status] : undefined,
      needs: need?.needs,
      agent: query.agent,
      who: query.who,
      via,
      session: query.session,
      from: since && from ? new Date(Math.max(since.getTime(), from.getTime())) : (since ?? from),
      to: time("to"),
      costMin: cost("cost_min"),
      costMax: cost("cost_max"),
      text: query.q,
    },
    problems,
  };
}

import type { TrailFilter } from "@/lib/audit/queries/list-events";
import { oneText } from "../search-params";

/** What the address asks for, as typed. */
export interface TrailQuery {
  chain?: string;
  type?: string;
  actor?: string;
  from?: string;
  to?: string;
}

type Params = Record<string, string | string[] | undefined>;

export function readTrailQuery(params: Params): TrailQuery {
  return {
    chain: oneText(params.chain),
    type: oneText(params.type),
    actor: oneText(params.actor),
    from: oneText(params.from),
    to: oneText(params.to),
  };
}

/**
 * Times in the address have their zone, or are UTC; the page puts it there. One that cannot be read is reported, never
 * guessed.
 */
export function toTrailFilter(query: TrailQuery): { filter: TrailFilter; problems: string[] } {
  const problems: string[] = [];
  const time = (name: "from" | "to"): Date | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    const at = new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : text.includes("T") ? `${text}Z` : `${text}T00:00Z`);
    if (!Number.isNaN(at.getTime())) return at;
    problems.push(`“${name}” is not a time: ${text}. Write it as 2026-01-31T09:30.`);
    return undefined;
  };
  return {
    filter: { chainId: query.chain, type: query.type, actor: query.actor, from: time("from"), to: time("to") },
    problems,
  };
}

import type { SessionFilter } from "@/lib/proxy/queries/list-sessions";
import { oneText } from "../search-params";

/** What the address asks for, as typed. */
export interface SessionQuery {
  q?: string;
  profile?: string;
  who?: string;
  waiting?: string;
}

const NAMES = ["q", "profile", "who", "waiting"] as const satisfies readonly (keyof SessionQuery)[];

export function readSessionQuery(params: Record<string, string | string[] | undefined>): SessionQuery {
  return Object.fromEntries(NAMES.map((name) => [name, oneText(params[name])]));
}

export const isFiltered = (query: SessionQuery): boolean => NAMES.some((name) => query[name] !== undefined);

export function toSessionFilter({ q, profile, who, waiting }: SessionQuery): {
  filter: SessionFilter;
  problems: string[];
} {
  const isKnown = waiting === undefined || waiting === "1";
  return {
    filter: { text: q, profile, who, waiting: waiting === "1" },
    problems: isKnown ? [] : [`“waiting” is not a choice: ${waiting}. It is 1, or left out.`],
  };
}

/** Kiwi's query modifiers: `mcp:*`, `mcp:NAME`, `local:*`, `type:NAME`; every other word is text. Pure. */
import type { MetaItem } from "./meta-source";

export interface ParsedQuery {
  /** The last one that was given; null: everything. */
  scope: "mcp" | "local" | null;
  /** Empty: any server. */
  servers: string[];
  /** Empty: any type. */
  types: string[];
  text: string;
}

export function parseQuery(query: string): ParsedQuery {
  const parsed: ParsedQuery = { scope: null, servers: [], types: [], text: "" };
  const words: string[] = [];
  for (const word of query.split(/\s+/).filter(Boolean)) {
    const [, modifier, value = ""] = /^(mcp|local|type):(.*)$/i.exec(word) ?? [];
    switch (modifier?.toLowerCase()) {
      case "mcp":
        parsed.scope = "mcp";
        if (isName(value)) parsed.servers.push(value.toLowerCase());
        break;
      case "local":
        parsed.scope = "local";
        break;
      case "type":
        if (isName(value)) parsed.types.push(value.toLowerCase());
        break;
      default:
        words.push(word);
    }
  }
  return { ...parsed, text: words.join(" ") };
}

const isName = (value: string): boolean => value !== "" && value !== "*";

export function isWithin({ scope, servers, types }: ParsedQuery, item: MetaItem): boolean {
  if (scope !== null && (item.server === null) !== (scope === "local")) return false;
  if (scope === "mcp" && servers.length > 0 && !servers.includes(item.server!.toLowerCase())) return false;
  return types.length === 0 || types.includes(item.type.toLowerCase()) || types.includes(item.kind);
}

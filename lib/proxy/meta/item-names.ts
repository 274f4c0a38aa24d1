/** How items are named: `server.tool` for a tool of a server, the name alone for an item of the project. Pure. */
import { modelFacingName } from "@/lib/config/builtin-servers";
import { findNearest } from "@/lib/config/problem";
import type { MetaItem, MetaSource } from "./meta-source";
import { indexOf } from "./search-index";

const NEAREST_MAX = 3;

export function nameOf({ server, definition }: MetaItem): string {
  return server === null ? definition.name : `${server}.${definition.name}`;
}

const byName = new WeakMap<readonly MetaItem[], Map<string, MetaItem>>();

/**
 * `server.tool` or `server__tool`. No two items share a name: a server's name has neither a dot nor an underscore, so
 * that the first of either ends it.
 */
export function findItem(items: readonly MetaItem[], name: string): MetaItem | null {
  const known = byName.get(items) ?? readNames(items);
  byName.set(items, known);
  return known.get(name) ?? null;
}

function readNames(items: readonly MetaItem[]): Map<string, MetaItem> {
  const names = new Map<string, MetaItem>();
  for (const item of items) {
    if (item.server !== null) names.set(`${modelFacingName(item.server)}__${item.definition.name}`, item);
    names.set(nameOf(item), item);
  }
  return names;
}

/** What was probably meant by a name that does not exist; and why, when its server cannot be reached. */
export function describeUnknown(
  source: MetaSource,
  name: string,
): { name: string; problem: string; nearest: string[] } {
  const shown = name.slice(0, 200);
  const away = source.unavailable.find(({ server }) => name.startsWith(`${server}.`) || name.startsWith(`${server}__`));
  if (away) return { name: shown, problem: `server ${away.server} cannot be reached now: ${away.reason}`, nearest: [] };
  const names = source.items.map(nameOf);
  const similar = findNearest(name, names);
  const found = indexOf(source.items)
    .find(name.slice(0, 200))
    .slice(0, NEAREST_MAX)
    .map((position) => names[position]!);
  const nearest = [...new Set([...(similar === undefined ? [] : [similar]), ...found])].slice(0, NEAREST_MAX);
  return { name: shown, problem: "no such tool", nearest };
}
